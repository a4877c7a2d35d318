import type { ClockBounds, StoreCall } from '../../core/ports/lock-store.js';
import type { LockStoreError, StoreOperation } from '../../core/public/errors.js';
import { lockKey } from '../../core/record/lock-record.js';
import { type Answer, tryUntilAnswered } from '../../core/request/try-loop.js';
import { type Sent, sentNow } from '../../core/values/clock.js';
import { describe } from '../../core/values/describe.js';
import { classifyFailure, failureOf, NotSent } from './errors.js';
import { readReply, type ScriptReply } from './reply.js';
import type { RedisScript } from './scripts.js';
import { type RedisClient, sendScript } from './send.js';

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

  return {
    keyPrefix,
    async send(script, keys, args) {
      checkClient();
      return sendScript(client, { script, keys, args, waits: false });
    },
    async run({ script, operation, name, args, words }, call) {
      const key = lockKey(keyPrefix, name, operation);
      const connecting = client.connected?.(call);
      const connected = connecting === undefined ? call : await connecting;
      if (connected instanceof NotSent) return { error: failureOf(connected, operation, name), ambiguous: false };
      const texts = args.map(String);
      let sent: Sent | undefined;
      const answer = await tryUntilAnswered(
        connected,
        async (signal) => {
          checkClient();
          const waits = sent === undefined;
          sent ??= sentNow(call.clock);
          const sentWall = call.clock.now();
          const reply = await sendScript(client, { script, keys: [key], args: texts, signal, waits });
          const { word, nowMs, number, item } = readReply(reply, words);
          const clock = { minMs: nowMs - call.clock.now(), maxMs: nowMs + 1 - sentWall };
          return { word, nowMs, number, item, clock, sent };
        },
        classifyFailure,
      );
      const { ambiguous } = answer;
      return 'error' in answer
        ? { error: failureOf(answer.error, operation, name), ambiguous, sent }
        : { value: answer.value, ambiguous, sent };
    },
  };
}
