import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { closed, listening } from '../support/loopback.js';

/** A server of one bucket, with the rules of S3 for conditional writes. */
export interface S3Server {
  /** The address of the bucket. */
  readonly url: string;
  /** Objects by their keys. */
  readonly objects: Map<string, string>;
  /** Requests, as `PUT 409`. */
  readonly answers: string[];
  /** Answers the next writes with this status, and writes nothing. */
  refuse(...statuses: number[]): void;
  stop(): Promise<void>;
}

const etagOf = (body: string) => `"${createHash('md5').update(body).digest('hex')}"`;
const errorOf = (code: string) => `<Error><Code>${code}</Code></Error>`;

/**
 * What S3 documents: `If-None-Match: *` and `If-Match` are judged when a write ends (412), a write beside another one of
 * its key gets 409, and `If-Match` for no object 404. An ETag is the checksum of the body, and the header Date, which
 * Node adds, has whole seconds. A write without a condition is refused, because a lock must never need one.
 */
export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, string>();
  const answers: string[] = [];
  const refusals: number[] = [];
  const underWay = new Set<string>();

  async function put(key: string, request: IncomingMessage): Promise<[number, string, string?]> {
    const refused = refusals.shift();
    if (refused !== undefined) return [refused, errorOf('Refused')];
    if (underWay.has(key)) return [409, errorOf('ConditionalRequestConflict')];
    underWay.add(key);
    try {
      const body = await text(request);
      const [before, match, none] = [objects.get(key), request.headers['if-match'], request.headers['if-none-match']];
      if ((match === undefined) === (none !== '*')) return [400, errorOf('InvalidRequest')];
      if (none === '*' && before !== undefined) return [412, errorOf('PreconditionFailed')];
      if (match !== undefined && before === undefined) return [404, errorOf('NoSuchKey')];
      if (match !== undefined && etagOf(String(before)) !== match) return [412, errorOf('PreconditionFailed')];
      objects.set(key, body);
      return [200, '', etagOf(body)];
    } finally {
      underWay.delete(key);
    }
  }

  function list(query: URLSearchParams): [number, string] {
    const prefix = query.get('prefix') ?? '';
    const after = Buffer.from(query.get('continuation-token') ?? '', 'base64url').toString();
    const keys = [...objects.keys()].sort().filter((key) => key.startsWith(prefix) && key > after);
    const page = keys.slice(0, Number(query.get('max-keys') ?? 1_000));
    const asUrl = (key: string) => encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+');
    const contents = page.map((key) => `<Contents><Key>${asUrl(key)}</Key></Contents>`);
    const more =
      keys.length > page.length
        ? `<NextContinuationToken>${Buffer.from(String(page.at(-1))).toString('base64url')}</NextContinuationToken>`
        : '';
    return [200, `<ListBucketResult>${contents.join('')}${more}</ListBucketResult>`];
  }

  async function answerTo(request: IncomingMessage): Promise<[number, string, string?]> {
    const { pathname, searchParams } = new URL(String(request.url), 'http://127.0.0.1');
    const [, bucket, ...rest] = pathname.split('/');
    if (bucket !== 'bucket') return [404, errorOf('NoSuchBucket')];
    if (searchParams.has('list-type')) return list(searchParams);
    const key = rest.map(decodeURIComponent).join('/');
    if (request.method === 'PUT') return put(key, request);
    const body = objects.get(key);
    return body === undefined ? [404, errorOf('NoSuchKey')] : [200, body, etagOf(body)];
  }

  const server = createServer(async (request, response) => {
    const [status, body, etag] = await answerTo(request);
    answers.push(`${request.method} ${status}`);
    response.writeHead(status, etag === undefined ? {} : { etag }).end(body);
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/bucket`,
    objects,
    answers,
    refuse: (...statuses) => void refusals.push(...statuses),
    stop: () => closed(server),
  };
}
