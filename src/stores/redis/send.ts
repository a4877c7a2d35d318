import type { ClockBounds, StoreCall } from '../../core/ports/lock-store.js';
import type { LockStoreError, StoreOperation } from '../../core/public/errors.js';
import { lockKey } from '../../core/record/lock-record.js';
import { type Answer, tryUntilAnswered } from '../../core/request/try-loop.js';
import { type Sent, type Signal, sentNow } from '../../core/values/clock.js';
import { checkKeyPrefix } from '../../core/values/names.js';
import { CameLate, classifyFailure, failureOf, isHeaderRefused, isNoScript, NotSent } from './errors.js';
import { readReply, type ScriptReply } from './reply.js';
import type { deniedBy } from './rights.js';
import type { RedisScript } from './scripts.js';
import { noteServerTime, type ServerTimes, serverTimeAt } from './server-time.js';

/** Runs scripts on a Redis, by the text of a script or by the hash of that text. All arguments are texts. */
export interface ScriptClient {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
  /** Returns why the client cannot send now, if it reports a reason. */
  notSent(): NotSent | undefined;
  /**
   * Waits for a client that is connecting. Resolves to the call with the time that is left, or to the reason why the
   * client cannot send.
   */
  connected?(call: StoreCall): Promise<StoreCall | NotSent> | undefined;
  /** The clients of all masters of a cluster; undefined if this is not a client of a cluster. Absent for Upstash. */
  masters?(): ClusterMasters | undefined;
  /**
   * Makes a client of a cluster ask again which node serves which slot. A client without this function does so when it
   * is sent a key whose slot has moved.
   */
  lookAgain?(key: string): Promise<unknown>;
}

type ClusterMasters = Promise<readonly RedisClient[]> | readonly (RedisClient | Promise<RedisClient>)[];

/** A client, and what is known of its Redis. All stores that use the client share this object. */
export interface RedisClient extends ScriptClient {
  /** The shebang line put before each script; empty once this Redis has refused it. */
  header: string;
  /** The hash of each script with that first line; a promise until it is computed. */
  readonly hashes: Map<RedisScript, string | Promise<string>>;
  /**
   * Scripts that a call is sending as text, not as a hash. Each promise resolves when that call has been answered or
   * has failed.
   */
  readonly loads: Map<RedisScript, Promise<unknown>>;
  readonly serverTimes: ServerTimes;
  /** Says what Redis denies its users; absent for Upstash, which has tokens in place of users. */
  readonly denied?: typeof deniedBy | undefined;
}

/** A script that is being sent. */
export interface Sending {
  readonly script: RedisScript;
  readonly keys: string[];
  readonly args: string[];
  readonly signal?: Signal | undefined;
  /**
   * Whether this call waits while another call sends the text of the script. So one of many calls sends the text, not
   * all.
   */
  readonly waits: boolean;
}

/**
 * Makes a function that returns one `RedisClient` for all stores over the same client.
 *
 * @param header the first line of all scripts, until a Redis refuses that line
 */
export function sharedClients(
  header: string,
  denied?: RedisClient['denied'],
): (client: object, make: () => ScriptClient) => RedisClient {
  const shared = new WeakMap<object, RedisClient>();
  return (client, make) => {
    const known = shared.get(client);
    if (known) return known;
    const one = { ...make(), header, denied, hashes: new Map(), loads: new Map(), serverTimes: new WeakMap() };
    shared.set(client, one);
    return one;
  };
}

/** Sends the hash of a script, and the text if Redis does not know the hash. Rejects with the client's error. */
async function sendScript(client: RedisClient, sending: Sending): Promise<unknown> {
  const { script, keys, args, signal, waits } = sending;
  const known = hashIn(client, script);
  const hash = typeof known === 'string' ? known : await known;
  try {
    return await client.evalsha(hash, keys, args);
  } catch (error) {
    if (!isNoScript(error) || signal?.aborted) throw error;
    const load = client.loads.get(script);
    if (waits && load !== undefined) {
      await load;
      if (signal?.aborted) throw error;
      return sendScript(client, { ...sending, waits: false });
    }
  }
  const answer = sendWhole(client, sending);
  const forget = () => client.loads.delete(script);
  client.loads.set(script, answer.then(forget, forget));
  return answer;
}

async function sendWhole(client: RedisClient, sending: Sending): Promise<unknown> {
  const { script, keys, args, signal } = sending;
  const { header, hashes } = client;
  try {
    return await client.eval(header + script.text, keys, args);
  } catch (error) {
    if (header === '' || !isHeaderRefused(error)) throw error;
    client.header = '';
    hashes.clear();
    if (signal?.aborted) throw error;
    return sendScript(client, { ...sending, waits: false });
  }
}

/** Returns the hash of a script, or a promise of the hash until it is computed. */
function hashIn({ header, hashes }: RedisClient, script: RedisScript): string | Promise<string> {
  const known = hashes.get(script);
  if (known !== undefined) return known;
  const hashing = sha1(header + script.text).then((hash) => {
    if (hashes.get(script) === hashing) hashes.set(script, hash);
    return hash;
  });
  hashes.set(script, hashing);
  return hashing;
}

async function sha1(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A script's answer, and the bounds of this host's clock error. */
export interface RedisReply<W extends string = string> extends ScriptReply<W> {
  readonly clock: ClockBounds;
  readonly sent: Sent;
}

/** How a call ended; `sent` is when its script was first handed to the client. */
export type RedisAnswer<W extends string> = Answer<RedisReply<W>, LockStoreError> & {
  readonly sent?: Sent | undefined;
};

/** A Redis with locks in it: the prefix of its keys, and the functions that send it scripts. */
export interface RedisConnection {
  /** All stores over the same client share this object. */
  readonly client: object;
  readonly keyPrefix: string;
  /** Sends a script until it is answered. @throws LockStoreError (INVALID_NAME) */
  run<W extends string>(order: ScriptOrder<W>, call: StoreCall): Promise<RedisAnswer<W>>;
  /** Sends a script once, and returns any answer unchecked. */
  readonly send: SendOnce;
  /** Makes the error of a script that `send` sent for a list. */
  listFailure(error: unknown, call: StoreCall): Promise<LockStoreError>;
  /** See {@link ScriptClient}; absent for Upstash. */
  readonly masters?: (() => Promise<readonly SendOnce[] | undefined>) | undefined;
  /** Shows the client a key, so that a client of a cluster learns which node serves its slot. Waits for nothing. */
  lookAgain(key: string): void;
}

export type SendOnce = (script: RedisScript, keys: string[], args: string[]) => Promise<unknown>;

/** A script, its verb and lock, and the words that it may answer with. */
export interface ScriptOrder<W extends string> {
  readonly script: RedisScript;
  readonly operation: StoreOperation;
  readonly name: string;
  /**
   * The arguments. A function gets the server's instant at which the call ends, or an empty text if no answer has reported
   * the server's time yet. Its script may also answer `late`, if it came at that instant or later: nothing was written.
   */
  readonly args: Arguments | ((callEnd: number | '') => Arguments);
  readonly words: readonly W[];
}

type Arguments = readonly (string | number)[];

/** The default prefix, because a Redis also contains other data. */
const DEFAULT_PREFIX = 'lock:';

export function redisConnection(client: RedisClient, prefix: unknown = DEFAULT_PREFIX): RedisConnection {
  const keyPrefix = checkKeyPrefix(prefix);
  const sendOnce =
    (to: RedisClient): SendOnce =>
    async (script, keys, args) => {
      checkSendable(client);
      return sendScript(to, { script, keys, args, waits: false });
    };
  const failure: FailureOf = (error, operation, name, call) =>
    failureOn({ client, keyPrefix, operation, name }, error, call);

  return {
    client,
    keyPrefix,
    send: sendOnce(client),
    listFailure: (error, call) => failure(error, 'list', '*', call),
    lookAgain(key) {
      (client.lookAgain?.(key) ?? client.eval('return 1', [key], [])).catch(() => undefined);
    },
    masters:
      client.masters &&
      (async () => {
        const masters = await client.masters?.();
        return masters && (await Promise.all(masters)).map(sendOnce);
      }),
    async run(order, call) {
      const { operation, name } = order;
      const key = lockKey(keyPrefix, name, operation);
      const connecting = client.connected?.(call);
      const connected = connecting === undefined ? call : await connecting;
      if (connected instanceof NotSent) return { error: failureOf(connected, operation, name), ambiguous: false };
      const answer = await runScript(client, order, key, connected);
      const { ambiguous, sent } = answer;
      return 'error' in answer
        ? { error: await failure(answer.error, operation, name, call), ambiguous, sent }
        : { value: answer.value, ambiguous, sent };
    },
  };
}

function checkSendable(client: RedisClient): void {
  const notSent = client.notSent();
  if (notSent) throw notSent;
}

async function runScript<W extends string>(
  client: RedisClient,
  { script, args, words }: ScriptOrder<W>,
  key: string,
  call: StoreCall,
): Promise<Answer<RedisReply<W>> & { readonly sent?: Sent | undefined }> {
  const { clock } = call;
  const { serverTimes } = client;
  const endMono = clock.monotonic() + call.budgetMs;
  const isTimed = typeof args === 'function';
  const known: readonly (W | 'late')[] = isTimed ? [...words, 'late'] : words;
  let sent: Sent | undefined;

  const ask = async (signal: Signal): Promise<RedisReply<W | 'late'>> => {
    checkSendable(client);
    const waits = sent === undefined;
    sent ??= sentNow(clock);
    const sentWall = clock.now();
    const texts = (isTimed ? args(serverTimeAt(serverTimes, clock, endMono) ?? '') : args).map(String);
    const reply = await sendScript(client, { script, keys: [key], args: texts, signal, waits });
    const read = readReply(reply, known);
    noteServerTime(serverTimes, clock, read.nowMs);
    return { ...read, clock: { minMs: read.nowMs - clock.now(), maxMs: read.nowMs + 1 - sentWall }, sent };
  };
  const send = async (signal: Signal): Promise<RedisReply<W>> => {
    const first = await ask(signal);
    // A late answer brings the server's time. If the call is still under way, that time was not known well enough.
    const reply = first.word === 'late' && !signal.aborted ? await ask(signal) : first;
    if (reply.word === 'late') throw new CameLate();
    return reply as RedisReply<W>;
  };
  const answer = await tryUntilAnswered(call, send, classifyFailure);
  return { ...answer, sent };
}

type FailureOf = (error: unknown, operation: StoreOperation, name: string, call: StoreCall) => Promise<LockStoreError>;

interface Failed {
  readonly client: RedisClient;
  readonly keyPrefix: string;
  readonly operation: StoreOperation;
  readonly name: string;
}

/** Makes the error that callers see. If Redis denies a command in a script, asks which. */
async function failureOn({ client, keyPrefix, operation, name }: Failed, error: unknown, call: StoreCall) {
  const lists = operation === 'list';
  const key = lists ? keyPrefix : keyPrefix + name;
  const denial = await client.denied?.(error, client, { key, prefix: keyPrefix, lists }, call);
  return failureOf(error, operation, name, denial);
}
