import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from '../../support/loopback.js';
import type { Conversation, Part, Protocol } from './protocol.js';
import { type Seen, type Strike, strikes, type Wire } from './wire.js';

/** What happens to a request on a connection. `before`: the server never sees it. `after`: the server has applied it. */
export type TcpFault =
  /** The connection ends without an answer, is reset, or stays open and is dead from then on. */
  | { readonly kind: 'close' | 'reset' | 'hang'; readonly at: 'before' | 'after' }
  /** The client gets this error of the protocol. */
  | { readonly kind: 'refusal'; readonly at: 'before' | 'after'; readonly text: string }
  /** The server itself ends the connection. */
  | { readonly kind: 'terminate'; readonly at: 'before' | 'after' }
  /** The connection ends in the middle of the server's answer. */
  | { readonly kind: 'cut' }
  /** The client gets the answer `ms` later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The server gets the request twice, and the client gets the second answer. */
  | { readonly kind: 'duplicate' }
  /** The connection is reset at once, and the server gets the request when `deliverLate` is called. */
  | { readonly kind: 'late' };

/** What all connections of a wire share. */
interface Shared {
  readonly protocol: Protocol;
  /** When each request was passed on and answered, by `performance.now()`. */
  readonly asked: { readonly atMs: number; answeredMs?: number }[];
  /** The requests to deliver late. */
  readonly kept: (() => Promise<unknown>)[];
  log(seen: Seen): void;
  faultOf(seen: Seen): (Strike & { readonly fault: TcpFault }) | undefined;
}

/** @param upstream the URL of a server on this machine */
export async function tcpWire(upstream: string, protocol: Protocol): Promise<Wire<TcpFault>> {
  const port = Number(new URL(upstream).port);
  let log: Seen[] = [];
  const { inject, faultOf } = strikes<TcpFault>();
  const shared: Shared = { protocol, asked: [], kept: [], log: (seen) => void log.push(seen), faultOf };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const onward = connect({ host: '127.0.0.1', port, noDelay: true });
    for (const socket of [client, onward]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    join(client, onward, shared);
  });
  const ownPort = await listening(server);
  return {
    url: String(Object.assign(new URL(upstream), { port: ownPort })),
    inject,
    seen: () => log,
    slowestMs: () => Math.max(0, ...shared.asked.map(({ atMs, answeredMs = performance.now() }) => answeredMs - atMs)),
    deliverLate: () => Promise.all(shared.kept.splice(0).map((deliver) => deliver())),
    reset() {
      log = [];
    },
    async stop() {
      const closing = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closing;
    },
  };
}

/** Joins a client with the server. Answers reach the client in the order of its requests. */
function join(client: Socket, upstream: Socket, shared: Shared): void {
  const line = lineOf(client, upstream, shared.protocol.converse());
  client.on('data', (data) => {
    for (const part of line.isDead ? [] : line.sent(data)) {
      // What happens meanwhile can fail on a slow machine. Then the results of the case show it.
      pass(line, part, shared).catch(() => line.reset());
    }
  });
  client.on('close', () => line.isKept || upstream.destroy());
}

async function pass(line: Line, { bytes, isAsked, seen }: Part, { protocol, asked, kept, log, faultOf }: Shared) {
  if (line.isDead) return undefined;
  if (!isAsked) return line.pass(bytes);
  const ask = async () => {
    const one: Shared['asked'][number] = { atMs: performance.now() };
    asked.push(one);
    const reply = await line.ask(bytes);
    one.answeredMs = performance.now();
    return reply;
  };
  if (seen) log(seen);
  const struck = seen && faultOf(seen);
  if (!struck) return line.answer(ask());

  const { fault, meanwhile } = struck;
  switch (fault.kind) {
    case 'duplicate':
      return line.answer(ask().then(ask));
    case 'refusal': {
      const refused = () => protocol.refusal(fault.text);
      if (fault.at === 'after') return line.answer(ask().then(refused));
      return line.answer(protocol.end ? line.ask(protocol.end).then(refused) : Promise.resolve(refused()));
    }
    case 'delay':
      return line.answer(Promise.all([ask(), sleep(fault.ms, undefined, { ref: false })]).then(([reply]) => reply));
    case 'cut': {
      line.isSilent = true;
      const reply = await ask();
      return line.end(reply.subarray(0, reply.length / 2));
    }
    case 'late':
      kept.push(ask);
      line.isKept = true;
      return line.reset();
    default: {
      line.isSilent = true;
      if (fault.kind === 'hang') line.isDead = true;
      if (fault.at === 'after') await ask();
      await meanwhile?.();
      if (fault.kind === 'close') line.end();
      if (fault.kind === 'reset') line.reset();
      if (fault.kind === 'terminate') await line.terminate();
      return undefined;
    }
  }
}

interface Line extends Pick<Conversation, 'sent' | 'terminate'> {
  /** Whether nothing more passes, and nobody is told. */
  isDead: boolean;
  /** Whether the client has no answer to what it sends from now on. */
  isSilent: boolean;
  /** Whether the server's end stays open when the client's ends. */
  isKept: boolean;
  /** Passes on what the server does not answer. */
  pass(bytes: Buffer): void;
  /** Passes a request on. @returns the server's answer */
  ask(bytes: Buffer): Promise<Buffer>;
  /** Lets the client have an answer, after the answers to what it sent before. */
  answer(reply: Promise<Buffer>): void;
  /** Ends the client's connection after these bytes. */
  end(last?: Buffer): void;
  reset(): void;
}

function lineOf(client: Socket, upstream: Socket, { sent, replied, terminate }: Conversation): Line {
  const waiting: ((answer: Buffer) => void)[] = [];
  let collected: Buffer[] = [];
  let answers: Promise<unknown> = Promise.resolve();
  const tell = (bytes: Buffer) => line.isDead || client.write(bytes);
  const take = (bytes: Buffer, isEnd: boolean) => {
    if (waiting.length === 0) return tell(bytes);
    collected.push(bytes);
    if (isEnd) waiting.shift()?.(Buffer.concat(collected.splice(0)));
    return undefined;
  };
  upstream.on('data', (data) => {
    for (const { bytes, isEnd } of replied(data)) take(bytes, isEnd);
  });
  upstream.on('close', () => {
    // What is left tells why the server ended the connection.
    const rest = Buffer.concat(collected);
    collected = [];
    for (const resolve of waiting.splice(0)) resolve(rest);
    const end = () => line.isDead || client.end();
    if (line.isSilent) end();
    else void answers.then(end);
  });
  const line: Line = {
    isDead: false,
    isSilent: false,
    isKept: false,
    sent,
    terminate,
    pass: (bytes) => void upstream.write(bytes),
    ask(bytes) {
      upstream.write(bytes);
      return new Promise((resolve) => waiting.push(resolve));
    },
    answer(reply) {
      if (!line.isSilent) answers = answers.then(async () => tell(await reply));
    },
    end(last = Buffer.alloc(0)) {
      line.isDead = true;
      client.end(last);
    },
    reset() {
      line.isDead = true;
      client.resetAndDestroy();
    },
  };
  return line;
}
