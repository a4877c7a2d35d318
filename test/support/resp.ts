import { once } from 'node:events';
import { connect } from 'node:net';

/** An error that Redis answered. */
export interface ErrorReply {
  readonly error: string;
}

/** What Redis answers by RESP2; strings as their bytes, whether simple or bulk. */
export type Reply = Buffer | number | null | ErrorReply | readonly Reply[];

export interface RedisConnection {
  /** Sends the commands together, nothing of another call between them; one reply for each. */
  send(commands: readonly (readonly string[])[]): Promise<readonly Reply[]>;
  close(): void;
}

export function isErrorReply(reply: Reply | undefined): reply is ErrorReply {
  return typeof reply === 'object' && reply !== null && 'error' in reply;
}

/** One connection to the Redis on this port of the loopback; rejects what is under way when it breaks. */
export async function connectRedis(port: number): Promise<RedisConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  const waiting: { resolve(reply: Reply): void; reject(reason: Error): void }[] = [];
  let unread: Buffer = Buffer.alloc(0);

  socket.on('data', (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    for (let read = readReply(unread, 0); read; read = readReply(unread, 0)) {
      unread = unread.subarray(read.next);
      waiting.shift()?.resolve(read.reply);
    }
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    for (const { reject } of waiting.splice(0)) reject(new Error(`The connection to Redis on port ${port} broke`));
  });

  return {
    async send(commands) {
      if (!socket.writable) throw new Error(`The connection to Redis on port ${port} is closed`);
      const replies = commands.map(() => new Promise<Reply>((resolve, reject) => waiting.push({ resolve, reject })));
      socket.write(Buffer.concat(commands.map(encode)));
      return Promise.all(replies);
    },
    close: () => void socket.destroy(),
  };
}

function encode(command: readonly string[]): Buffer {
  const words = command.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
  return Buffer.from(`*${command.length}\r\n${words.join('')}`);
}

interface Read<T> {
  readonly reply: T;
  /** Where the next reply begins. */
  readonly next: number;
}

/** The reply that begins here, or nothing when its end has not come yet. */
function readReply(bytes: Buffer, start: number): Read<Reply> | undefined {
  const lineEnd = bytes.indexOf('\r\n', start);
  if (lineEnd === -1) return undefined;
  const kind = String.fromCharCode(bytes[start] ?? 0);
  const line = bytes.subarray(start + 1, lineEnd);
  const next = lineEnd + 2;
  switch (kind) {
    case '+':
      return { reply: line, next };
    case '-':
      return { reply: { error: line.toString() }, next };
    case ':':
      return { reply: Number(line), next };
    case '$': {
      const length = Number(line);
      if (length === -1) return { reply: null, next };
      return bytes.length < next + length + 2
        ? undefined
        : { reply: bytes.subarray(next, next + length), next: next + length + 2 };
    }
    case '*':
      return Number(line) === -1 ? { reply: null, next } : readArray(bytes, next, Number(line));
    default:
      throw new Error(`Not RESP2: ${kind}${line.toString()}`);
  }
}

function readArray(bytes: Buffer, start: number, length: number): Read<readonly Reply[]> | undefined {
  const reply: Reply[] = [];
  let next = start;
  while (reply.length < length) {
    const read = readReply(bytes, next);
    if (!read) return undefined;
    reply.push(read.reply);
    next = read.next;
  }
  return { reply, next };
}
