/*
 * A process that calls many wrapped functions at once, and reports how the calls ended. The calls are for one lock and
 * one tick, for a lock each, or for a lock each with all releases at the same time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { executeWithLock, type LockStore } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { memoryStore } from 'single-execution/memory';
import { postgresStore } from 'single-execution/postgres';
import { redisStore } from 'single-execution/redis';
import { upstashStore } from 'single-execution/upstash';
import { SENDS_ONCE } from '../support/sends-once.js';
import type { StoreAddress } from '../support/store-address.js';
import { nameOf, order, say } from '../support/told.js';

export interface ManyOrder {
  readonly store: StoreAddress | { readonly kind: 'memory' };
  readonly calls: number;
  readonly locks: 'one' | 'each' | 'together';
  /** How many rounds of the same calls there are. From the second round on, the process is warm. */
  readonly rounds: number;
}

/** The results of one round. */
export interface ManySaid {
  readonly executed: number;
  readonly skipped: number;
  readonly errors: Readonly<Record<string, number>>;
  /** The number of acquires and releases. Each of them needs one request. */
  readonly asked: number;
  /** How many acquires and releases sent a second request before the store had been silent for a second. */
  readonly hasty: number;
  /** The largest number of acquires and releases under way at a time. */
  readonly abreast: number;
  /** The number of all requests to the store. */
  readonly requests: number;
  readonly seconds: number;
}

/** An acquire or a release: when it began, and when it sent each of its requests. */
interface Asked {
  readonly sinceMono: number;
  readonly sentMono: Set<{ readonly atMono: number }>;
}

/** How long a store may be silent before a call asks it again, less what a timer may fire early. */
const SILENCE_MS = 1_000 - 10;

const { store: address, calls, locks, rounds } = order<ManyOrder>();
/** A prefix of lock names that nobody has used before. */
const JOBS = crypto.randomUUID();
const TICK = Date.UTC(2026, 0, 1);
const current = new AsyncLocalStorage<Asked>();
let asked: Asked[] = [];
let abreast = 0;

/** Records each acquire and release of a store. */
function watched(store: LockStore): LockStore {
  let underWay = 0;
  const watch = async <R>(ask: () => Promise<R>): Promise<R> => {
    const one: Asked = { sinceMono: performance.now(), sentMono: new Set() };
    asked.push(one);
    abreast = Math.max(abreast, ++underWay);
    try {
      return await current.run(one, ask);
    } finally {
      underWay--;
    }
  };
  return {
    ...store,
    acquire: (claim, call) => watch(() => store.acquire(claim, call)),
    release: (lease, completion, call) => watch(() => store.release(lease, completion, call)),
  };
}

/** Records a request of the current call. @returns a function that removes the request again */
function sends(): () => void {
  const request = { atMono: performance.now() };
  const one = current.getStore();
  one?.sentMono.add(request);
  return () => void one?.sentMono.delete(request);
}

const isHasty = ({ sinceMono, sentMono }: Asked) => {
  const [, second] = sentMono;
  return second !== undefined && second.atMono - sinceMono < SILENCE_MS;
};

/** Opens the store with the library's default client, but with the given address and with a record of each request. */
function open(): LockStore {
  if (address.kind === 'memory') return memoryStore();
  if (address.kind === 'dynamodb') {
    const { endpoint, tableName } = address;
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = new DynamoDBClient({ endpoint, region: 'local', credentials, maxAttempts: 1 });
    client.middlewareStack.add(
      (next) => (args) => {
        sends();
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    return dynamoDBStore({ tableName, client });
  }
  if (address.kind === 'redis') return redisStore({ client: noted(new Redis(address.url, SENDS_ONCE)) });
  if (address.kind === 'postgres') {
    const pool = new Pool({ connectionString: address.url });
    const client = async (text: string, values: (string | number)[]) => {
      sends();
      return (await pool.query(text, values)).rows;
    };
    return postgresStore({ client });
  }
  const { url, token } = address;
  return upstashStore({ redis: noted(new UpstashRedis({ url, token, retry: { retries: 0 } })) });
}

/**
 * Records the requests of a client. A script sent by a hash that the server does not know is not counted, because the
 * client sends it again as text.
 */
function noted<C extends object>(client: C): C {
  return new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key !== 'evalsha' && key !== 'eval') return value.bind(target);
      return async (...args: readonly unknown[]) => {
        // A script without a key checks the login of a client that connects.
        if (args[1] === 0) return value.apply(target, args);
        const takeBack = sends();
        try {
          return await value.apply(target, args);
        } catch (error) {
          if (String(error).includes('NOSCRIPT')) takeBack();
          throw error;
        }
      };
    },
  });
}

async function round(store: LockStore, number: number): Promise<ManySaid> {
  const errors: Record<string, number> = {};
  const counts = { executed: 0, skipped: 0 };
  asked = [];
  abreast = 0;
  const startedMono = performance.now();
  let started = 0;
  let release = () => {};
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  const task = () => {
    if (++started === calls) release();
    return locks === 'together' ? all : undefined;
  };
  const call = async (n: number) => {
    const name = locks === 'one' ? `${JOBS}-${number}` : `${JOBS}-${number}-${n}`;
    try {
      const outcome = await executeWithLock(task, { name, store, lockAtMostFor: '1m', tick: TICK, observers: [] });
      counts[outcome.status]++;
    } catch (error) {
      const { code = nameOf(error) } = error as { readonly code?: string };
      errors[code] = (errors[code] ?? 0) + 1;
      if (++started === calls) release();
    }
  };
  await Promise.all(Array.from({ length: calls }, (_, n) => call(n)));
  const seconds = (performance.now() - startedMono) / 1_000;
  const hasty = asked.filter(isHasty).length;
  const requests = asked.reduce((sum, { sentMono }) => sum + sentMono.size, 0);
  return { ...counts, errors, asked: asked.length, hasty, abreast, requests, seconds };
}

const store = watched(open());
for (let number = 1; number <= rounds; number++) say('round', { ...(await round(store, number)) });
process.exit();
