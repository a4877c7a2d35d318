import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';

/** A request as it was received, to be passed on. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * The Date header of every response: the server's own, the time of the answer to the client, none, a shifted one, or a
 * fixed one.
 */
export type DateHeader = 'server' | 'answered' | 'none' | { readonly shiftMs: number } | { readonly atMs: number };

export function reset(outgoing: ServerResponse): void {
  outgoing.socket?.resetAndDestroy();
}

export function forward(upstream: string, { method, path, headers, body }: HttpRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const url = new URL(path, upstream);
    const request = httpRequest(url, { method, headers: { ...headers, connection: 'close' } }, (reply) => {
      bodyOf(reply).then(
        (content) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: content }),
        reject,
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

export async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

export function answer(outgoing: ServerResponse, reply: Answer, date: DateHeader): void {
  head(outgoing, reply, date).end(reply.body);
}

export function cut(outgoing: ServerResponse, reply: Answer, date: DateHeader): void {
  const { body } = reply;
  head(outgoing, reply, date).write(body.subarray(0, body.length / 2), () => outgoing.socket?.end());
}

function head(outgoing: ServerResponse, { status, headers, body }: Answer, date: DateHeader): ServerResponse {
  const { connection: _, 'transfer-encoding': __, date: own, ...rest } = headers;
  outgoing.sendDate = false;
  const shown = dateText(own, date);
  const length = { 'content-length': body.length };
  return outgoing.writeHead(status, { ...rest, ...length, ...(shown !== undefined && { date: shown }) });
}

function dateText(own: string | undefined, date: DateHeader): string | undefined {
  if (date === 'none') return undefined;
  if (date === 'answered') return new Date().toUTCString();
  if (date === 'server') return own ?? new Date().toUTCString();
  const ms = 'atMs' in date ? date.atMs : Date.parse(own ?? new Date().toUTCString()) + date.shiftMs;
  return new Date(ms).toUTCString();
}

export function errorAnswer(status: number, type: string): Answer {
  const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: `${type} by the fault proxy` };
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'fault-proxy' };
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

export function textAnswer(status: number, text: string): Answer {
  return { status, headers: {}, body: Buffer.from(text) };
}
