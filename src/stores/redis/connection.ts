import type { ClockBounds, StoreCall } from '../../core/ports/lock-store.js';
import type { LockStoreError, StoreOperation } from '../../core/public/errors.js';
import { lockKey } from '../../core/record/lock-key.js';
import { type Answer, tryUntilAnswered } from '../../core/request/try-loop.js';
import { describe, describeType } from '../../core/values/describe.js';
import { checkKnown } from '../../core/values/option-checks.js';
import { type Sent, sentNow } from '../../core/values/sent.js';
import { classifyFailure, failureOf, isHeaderRefused, isNoScript, NotSent } from './errors.js';
import { readReply, type ScriptReply } from './reply.js';
import type { RedisScript } from './scripts.js';

/** Runs a script at a Redis, by its text or by the hash of it. All arguments are texts. */
export interface RedisClient {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
  /** Why the client cannot send now, as far as it tells. */
  notSent(): NotSent | undefined;
  /** Waits for a client that is on its way to a connection; what is left of the call then, if anything. */
  connected?(call: StoreCall): Promise<StoreCall | NotSent> | undefined;
  /** A first line that the scripts need at this Redis; empty once the Redis has refused it. */
  header: string;
  /** The hash of each script, with that line. */
  readonly hashes: Map<RedisScript, Promise<string>>;
}

/** What a script answered, and what that tells of this host's clock. */
export interface RedisReply<W extends string = string> extends ScriptReply<W> {
  readonly clock: ClockBounds;
  readonly sent: Sent;
}

/** How a call ended; `sent` is when its script was first handed to the client. */
export type RedisAnswer<W extends string> = Answer<RedisReply<W>, LockStoreError> & {
  readonly sent?: Sent | undefined;
};

/** A Redis with locks in it: its keys, and the one way a script is sent. */
export interface RedisConnection {
  readonly keyPrefix: string;
  /** Sends a script until it is answered. @throws LockStoreError (INVALID_NAME) */
  run<W extends string>(order: ScriptOrder<W>, call: StoreCall): Promise<RedisAnswer<W>>;
  /** Sends a script once, and takes whatever comes. */
  send(script: RedisScript, keys: string[], args: string[]): Promise<unknown>;
}

/** A script, what it is for, and the words that it may answer with. */
export interface ScriptOrder<W extends string> {
  readonly script: RedisScript;
  readonly operation: StoreOperation;
  readonly name: string;
  readonly args: readonly (string | number)[];
  readonly words: readonly W[];
}

/** The prefix where none is given: a Redis holds other things too. */
const DEFAULT_PREFIX = 'lock:';

export function redisConnection(client: RedisClient, keyPrefix: unknown = DEFAULT_PREFIX): RedisConnection {
  if (typeof keyPrefix !== 'string') throw new TypeError(`keyPrefix is ${describe(keyPrefix)}: give a string`);
  const checkClient = () => {
    const notSent = client.notSent();
    if (notSent) throw notSent;
  };
  const send = async (script: RedisScript, keys: string[], args: string[], signal?: AbortSignal): Promise<unknown> => {
    const { header, hashes } = client;
    const text = header + script.text;
    const hash = hashes.get(script) ?? sha1(text);
    hashes.set(script, hash);
    try {
      return await client.evalsha(await hash, keys, args);
    } catch (error) {
      if (!isNoScript(error) || signal?.aborted) throw error;
    }
    try {
      return await client.eval(text, keys, args);
    } catch (error) {
      if (header === '' || !isHeaderRefused(error)) throw error;
      client.header = '';
      hashes.clear();
      if (signal?.aborted) throw error;
      return send(script, keys, args, signal);
    }
  };

  return {
    keyPrefix,
    async send(script, keys, args) {
      checkClient();
      return send(script, keys, args);
    },
    async run({ script, operation, name, args, words }, call) {
      const key = lockKey(keyPrefix, name, operation);
      const connecting = client.connected?.(call);
      const connected = connecting === undefined ? call : await connecting;
      if (connected instanceof NotSent) return { error: failureOf(connected, operation, name), ambiguous: false };
      let sent: Sent | undefined;
      const answer = await tryUntilAnswered(
        connected,
        async (signal) => {
          checkClient();
          sent ??= sentNow(call.clock);
          const sentWall = call.clock.now();
          const reply = readReply(await send(script, [key], args.map(String), signal), words);
          const clock = { minMs: reply.nowMs - call.clock.now(), maxMs: reply.nowMs + 1 - sentWall };
          return { ...reply, clock, sent };
        },
        classifyFailure,
      );
      return 'error' in answer
        ? { ...answer, error: failureOf(answer.error, operation, name), sent }
        : { ...answer, sent };
    },
  };
}

/**
 * Refuses what are not the options of a store.
 *
 * @param known the names of its options, first the one that it needs
 */
export function checkOptions(factory: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${factory} was given ${describeType(options)}: give { ${known[0]} }`);
  }
  checkKnown(options, known);
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
