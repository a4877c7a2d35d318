/*
 * A process that calls many wrapped functions at once, and reports how the calls ended. The calls are for one lock and
 * one tick, for a lock each, or for a lock each with all releases at the same time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { executeWithLock, type LockStore } from 'single-execution';
import type { StoreAddress } from '../support/backends/backend.js';
import { openStore } from '../support/backends.js';
import { nameOf, order, say } from '../support/told.js';

export interface ManyOrder {
  readonly store: StoreAddress;
  readonly calls: number;
  readonly locks: 'one' | 'each' | 'together';
  /** How many rounds of the same calls there are. From the second round on, the process is warm. */
  readonly rounds: number;
  /** How many requests an acquire or a release may send before the store has been silent. @default 1 */
  readonly requests?: number;
}

export interface ManySaid {
  readonly executed: number;
  readonly skipped: number;
  readonly errors: Readonly<Record<string, number>>;
  /** The number of acquires and releases. */
  readonly asked: number;
  /** How many acquires and releases sent more than their requests before the store had been silent for a second. */
  readonly hasty: number;
  /** How many acquires and releases failed before they had asked for their whole budget. */
  readonly impatient: number;
  /** The largest number of acquires and releases under way at a time. */
  readonly abreast: number;
  /** The longest time in which no acquire and no release was answered, in seconds. */
  readonly silent: number;
  readonly requests: number;
  readonly seconds: number;
}

/**
 * An acquire or a release: when it sent its first request, and when it sent each of its requests. Before the first one,
 * it waits for its turn inside the store.
 */
interface Asked {
  sinceMono: number | undefined;
  readonly sentMono: Set<{ readonly atMono: number }>;
}

/** How long a busy machine may hold up a call before its request is seen here, while the time of the call already runs. */
const HELD_UP_MS = 500;
/** How long a store may be silent before a call asks it again. */
const SILENCE_MS = 1_000 - HELD_UP_MS;
/** How long a call tries to reach its store. */
const BUDGET_MS = 5_000 - HELD_UP_MS;

const { store: address, calls, locks, rounds, requests: own = 1 } = order<ManyOrder>();
/** A prefix of lock names that nobody has used before. */
const JOBS = crypto.randomUUID();
const TICK = Date.UTC(2026, 0, 1);
const current = new AsyncLocalStorage<Asked>();
let asked: Asked[] = [];
let underWay = 0;
let abreast = 0;
let impatient = 0;
/** When the latest answer came, and the longest time without one. */
let answeredMono = 0;
let silentMs = 0;

function watched(store: LockStore): LockStore {
  const watch = async <R>(ask: () => Promise<R>): Promise<R> => {
    const one: Asked = { sinceMono: undefined, sentMono: new Set() };
    asked.push(one);
    try {
      const answer = await current.run(one, ask);
      silentMs = Math.max(silentMs, performance.now() - answeredMono);
      answeredMono = performance.now();
      return answer;
    } catch (error) {
      silentMs = Math.max(silentMs, performance.now() - answeredMono);
      if (performance.now() - (one.sinceMono ?? Number.POSITIVE_INFINITY) < BUDGET_MS) impatient++;
      throw error;
    } finally {
      if (one.sinceMono !== undefined) underWay--;
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
  if (one?.sinceMono === undefined) {
    if (underWay === 0) answeredMono = request.atMono;
    if (one) {
      one.sinceMono = request.atMono;
      underWay++;
      // The call that made room is counted until its own promise has settled, a few microtasks later.
      setImmediate(() => {
        abreast = Math.max(abreast, underWay);
      });
    }
  }
  one?.sentMono.add(request);
  return () => void one?.sentMono.delete(request);
}

const isHasty = ({ sinceMono, sentMono }: Asked) => {
  const further = [...sentMono][own];
  return further !== undefined && further.atMono - (sinceMono ?? further.atMono) < SILENCE_MS;
};

async function round(store: LockStore, number: number): Promise<ManySaid> {
  const errors: Record<string, number> = {};
  const counts = { executed: 0, skipped: 0 };
  asked = [];
  abreast = impatient = silentMs = 0;
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
  return {
    ...counts,
    errors,
    asked: asked.length,
    hasty,
    impatient,
    abreast,
    silent: silentMs / 1_000,
    requests,
    seconds,
  };
}

const store = watched((await openStore(address, sends)).store);
for (let number = 1; number <= rounds; number++) say('round', { ...(await round(store, number)) });
process.exit();
