import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore, StoreCall } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { checkStoreOptions, describeType, namesOf } from '../../core/values/checks.js';
import { pause } from '../../core/values/clock.js';
import { redisAdmin } from './admin.js';
import { NotSent, refusedLogin } from './errors.js';
import { redisLock } from './lock.js';
import { warnIfIORedisResends } from './resends.js';
import { type RedisClient, type RedisConnection, redisConnection, sharedClients } from './send.js';

/** A client of ioredis, or a client with the same interface. */
export interface IORedisClient {
  /** Runs a script. */
  eval(script: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>;
  /** Runs a script that the server knows, by its SHA-1. */
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>;
  /** The state of the connection: `ready`, `reconnecting` and so on. */
  readonly status?: string;
}

/** A client of node-redis (the package `redis`). */
export interface NodeRedisClient {
  /** Runs a script. */
  eval(
    script: string,
    options: {
      /** The keys that the script touches. */
      keys: string[];
      /** The arguments of the script. */
      arguments: string[];
    },
  ): Promise<unknown>;
  /** Runs a script that the server knows, by its SHA-1. */
  evalSha(
    sha1: string,
    options: {
      /** The keys that the script touches. */
      keys: string[];
      /** The arguments of the script. */
      arguments: string[];
    },
  ): Promise<unknown>;
  /** Whether `connect()` was called, and not yet `close()`. */
  readonly isOpen?: boolean;
  /** Whether the client has a connection now. */
  readonly isReady?: boolean;
}

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /** A connected client. For the settings that it needs see docs/stores/redis.md, "Limits". */
  readonly client: IORedisClient | NodeRedisClient;
  /** Put before each lock name in the key. @default 'lock:' */
  readonly keyPrefix?: string;
}

/**
 * Makes a store for locks in a Redis of version 7 or later, over a client that stays open. It promises nothing after an
 * acknowledged write is lost: see docs/protocol.md, "On Redis".
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis';
 * import { redisStore } from 'single-execution/redis';
 *
 * const client = new Redis({ maxRetriesPerRequest: 0, socketTimeout: 2_000 });
 * export const store = redisStore({ client });
 * ```
 *
 * @throws TypeError for invalid options; nothing is sent
 */
export function redisStore(options: RedisStoreOptions): LockStore & MemberStore {
  const redis = connection('redisStore', options);
  warnIfIORedisResends(options.client);
  return redisLock(redis);
}

/**
 * Makes the admin store for locks in a Redis. It takes the same options as `redisStore`.
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis';
 * import { lockAdmin } from 'single-execution/admin';
 * import { redisAdminStore } from 'single-execution/redis';
 *
 * const admin = lockAdmin(redisAdminStore({ client: new Redis() }));
 * await admin.pause('send-digest', { by: 'ann' });
 * ```
 */
export function redisAdminStore(options: RedisStoreOptions): LockAdminStore {
  return redisAdmin(connection('redisAdminStore', options));
}

const OPTIONS = namesOf<RedisStoreOptions>({ client: true, keyPrefix: true });

function connection(factory: string, options: RedisStoreOptions): RedisConnection {
  checkStoreOptions(factory, options, OPTIONS);
  const { client, keyPrefix } = options;
  return redisConnection(clientOf(client), keyPrefix);
}

const clients = sharedClients('');

function clientOf(client: IORedisClient | NodeRedisClient): RedisClient {
  if (typeof client === 'object' && client !== null) {
    if ('createScript' in client) {
      throw new TypeError('client is a client of @upstash/redis: give it to upstashStore({ redis })');
    }
    if ('evalSha' in client) {
      return clients(client, () => ({
        eval: (script, keys, args) => client.eval(script, { keys, arguments: args }),
        evalsha: (hash, keys, args) => client.evalSha(hash, { keys, arguments: args }),
        ...stateOf(
          () => nodeRedisState(client),
          async (script) => client.eval(script, { keys: [], arguments: [] }),
        ),
      }));
    }
    if ('evalsha' in client) {
      return clients(client, () => ({
        eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
        evalsha: (hash, keys, args) => client.evalsha(hash, keys.length, ...keys, ...args),
        ...stateOf(
          () => ioredisState(client),
          async (script) => client.eval(script, 0),
        ),
      }));
    }
    if ('then' in client) throw new TypeError('client is a promise: await it, as in await createClient().connect()');
  }
  throw new TypeError(`client is ${describeType(client)}: give a client of ioredis or node-redis`);
}

/*
 * The state of clients' connections. No script of a lock goes to a client that is closed or reconnecting: the client
 * would refuse the script, or keep it and send it after the caller has given up.
 */

/** `closed`: the program must connect the client; `away`: the client is connecting by itself. */
type State = 'closed' | 'away' | 'usable';

/** Time between two looks at a client that is connecting. */
const LOOK_MS = 10;

/**
 * Makes the functions of a {@link RedisClient} that depend on the state of its connection.
 *
 * @param ask sends a script that touches no lock. A client whose login is refused reconnects again and again, and
 *   reports the reason only to commands that wait to be sent.
 */
function stateOf(
  state: () => State,
  ask: (script: string) => Promise<unknown>,
): Required<Pick<RedisClient, 'notSent' | 'connected'>> {
  let asked: Promise<NotSent | undefined> | undefined;
  const askOnce = () => {
    asked ??= ask('return 1').then(() => undefined, refusedLogin);
    void asked.then(() => {
      asked = undefined;
    });
    return asked;
  };
  return {
    notSent() {
      switch (state()) {
        case 'closed':
          return new NotSent(
            'UNAVAILABLE',
            'the client is closed: await client.connect() before the first run, and close it after the last',
          );
        case 'away':
          return notConnected();
        default:
          return undefined;
      }
    },
    connected: (call) => (state() === 'away' ? untilConnected(state, askOnce(), call) : undefined),
  };
}

async function untilConnected(
  state: () => State,
  asked: Promise<NotSent | undefined>,
  call: StoreCall,
): Promise<StoreCall | NotSent> {
  const { clock, budgetMs, signal } = call;
  const end = clock.monotonic() + budgetMs;
  const leftMs = () => end - clock.monotonic();
  let refused: NotSent | undefined;
  void asked.then((answer) => {
    refused = answer;
  });
  while (state() === 'away' && !refused && leftMs() > 0 && !signal.aborted) await pause(LOOK_MS, clock, signal);
  if (refused) return refused;
  const leftOverMs = leftMs();
  return state() === 'away' || leftOverMs <= 0 ? notConnected() : { ...call, budgetMs: leftOverMs };
}

function notConnected(): NotSent {
  return new NotSent(
    'UNAVAILABLE',
    'the client is not connected to Redis: start Redis, or check its address and the network',
    true,
  );
}

const AWAY: ReadonlySet<string | undefined> = new Set(['connecting', 'connect', 'close', 'reconnecting']);

/**
 * Returns the state of a client of ioredis. In status `wait` the client is usable, because it connects at its first
 * command.
 */
function ioredisState({ status }: IORedisClient): State {
  if (status === 'end') return 'closed';
  return AWAY.has(status) ? 'away' : 'usable';
}

function nodeRedisState(client: NodeRedisClient): State {
  if (client.isOpen === false) return 'closed';
  // A client of sentinels counts as usable, because it looks for the master at its first command.
  return client.isReady === false && !('getMasterNode' in client) ? 'away' : 'usable';
}
