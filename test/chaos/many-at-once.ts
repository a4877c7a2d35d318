/*
 * A process that calls many wrapped functions at once, and says what became of them: for one lock and one tick, for a
 * lock each, or for a lock each that all are released together.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { executeWithLock, type LockStore } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { memoryStore } from 'single-execution/memory';
import { redisStore } from 'single-execution/redis';
import { upstashStore } from 'single-execution/upstash';
import { SENDS_ONCE } from '../support/sends-once.js';
import type { StoreAddress } from '../support/store-address.js';
import { nameOf, order, say } from '../support/told.js';

export interface ManyOrder {
  readonly store: StoreAddress | { readonly kind: 'memory' };
  readonly calls: number;
  readonly locks: 'one' | 'each' | 'together';
  /** How often the same is done; what comes after the first time finds a warm process. */
  readonly rounds: number;
}

/** What one round came to. `requests`: those to the store, of each of which one was needed. */
export interface ManySaid {
  readonly executed: number;
  readonly skipped: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly seconds: number;
}

const { store: address, calls, locks, rounds } = order<ManyOrder>();
/** Locks that nobody has used before. */
const JOBS = crypto.randomUUID();
const TICK = Date.UTC(2026, 0, 1);
let requests = 0;

/** The library's default client, but for where it is, and each request of it is counted. */
function open(): LockStore {
  if (address.kind === 'memory') return memoryStore();
  if (address.kind === 'dynamodb') {
    const { endpoint, tableName } = address;
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = new DynamoDBClient({ endpoint, region: 'local', credentials, maxAttempts: 1 });
    client.middlewareStack.add(
      (next) => (args) => {
        requests++;
        return next(args);
      },
      { step: 'finalizeRequest', priority: 'low' },
    );
    return dynamoDBStore({ tableName, client });
  }
  if (address.kind === 'redis') return redisStore({ client: counted(new Redis(address.url, SENDS_ONCE)) });
  const { url, token } = address;
  return upstashStore({ redis: counted(new UpstashRedis({ url, token, retry: { retries: 0 } })) });
}

function counted<C extends object>(client: C): C {
  return new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (key === 'evalsha') requests++;
      return value.bind(target);
    },
  });
}

async function round(store: LockStore, number: number): Promise<ManySaid> {
  const errors: Record<string, number> = {};
  const counts = { executed: 0, skipped: 0 };
  const before = requests;
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
  return { ...counts, errors, requests: requests - before, seconds };
}

const store = open();
for (let number = 1; number <= rounds; number++) say('round', { ...(await round(store, number)) });
process.exit();
