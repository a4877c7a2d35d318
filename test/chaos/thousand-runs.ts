/*
 * A process that uses everything this library offers, over and over, and then ends by itself. It reports which
 * resources were active before and afterwards, and how much its heap grew.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, type Execution, executeWithLock, LockHeldError } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { createLeaderElection } from 'single-execution/leader';
import { withSingleExecution } from 'single-execution/process';
import type { StoreAddress } from '../support/backends/backend.js';
import { openStore } from '../support/backends.js';
import { order, say } from '../support/told.js';

export interface ThousandRunsOrder {
  readonly store: StoreAddress;
  readonly runs: number;
  /** How many runs are under way at a time. */
  readonly abreast: number;
}

const { store: address, runs, abreast } = order<ThousandRunsOrder>();
const LEASE_MS = 3_000;
/** Long enough for a renewal. */
const LONG_RUN_MS = 1_200;
const TERMS = 15;
const FAILURE = new Error('of the task');

const alive = () => process.getActiveResourcesInfo().sort();
const counts: Record<string, number> = {};
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};
process.on('warning', ({ name, message }) => say('warning', { name, message }));
say('begins');
// Wait until the resources of the start itself are closed.
await sleep(50);
const before = alive();

const [one, other] = [await openStore(address), await openStore(address)];
const options = (name: string) => ({
  name,
  store: one.store,
  lockAtMostFor: LEASE_MS,
  keepAlive: true,
  observers: [({ type }: { readonly type: string }) => count(type)],
});

/** The kinds of runs, which take turns. */
const SHORT: readonly ((name: string) => Promise<unknown>)[] = [
  (name) => executeWithLock(() => 'done', options(name)),
  (name) => withSingleExecution(() => 'done', { ...options(name), tick: 'none' })(),
  (name) =>
    executeWithLock(() => Promise.reject(FAILURE), options(name)).catch((error) =>
      count(error === FAILURE ? 'rejected' : 'wrong'),
    ),
  (name) => executeWithLock(({ extend }: Execution) => extend('5s'), options(name)),
  // The inner call is skipped.
  (name) =>
    executeWithLock(() => executeWithLock(() => 'none', { ...options(name), store: other.store }), options(name)),
  // One call waits for the other.
  async (name) => {
    const waiting = { ...options(name), wait: '20s' };
    await Promise.all([executeWithLock(() => sleep(20), waiting), executeWithLock(() => sleep(20), waiting)]);
  },
  async (name) => {
    await using lock = await acquireLock(options(name));
    await lock.extend('5s');
    await acquireLock(options(name)).catch((error) => count(error instanceof LockHeldError ? 'refused' : 'wrong'));
  },
];
const LONG: readonly ((name: string) => Promise<unknown>)[] = [
  (name) => executeWithLock(() => sleep(LONG_RUN_MS), options(name)),
  // An operator takes the lock away, and the next renewal notices.
  async (name) => {
    const { fencingToken, signal, release } = await acquireLock(options(name));
    await lockAdmin(one.admin).forceRelease(name, { fencingToken });
    await sleep(LONG_RUN_MS);
    count(`aborted ${signal.aborted}, ${await release()}`);
  },
];

/** Makes one run; every twentieth is a long one. */
async function runOne(n: number): Promise<unknown> {
  const kinds = n % 20 === 0 ? LONG : SHORT;
  const round = n % 20 === 0 ? n / 20 : n;
  return kinds[round % kinds.length]?.(`job-${n}`);
}

async function runAll(from: number, to: number): Promise<void> {
  let next = from;
  const lane = async () => {
    while (next < to) await runOne(next++);
  };
  await Promise.all(Array.from({ length: abreast }, lane));
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Plays many terms of one election: it leads, fails, and leads again. */
async function manyTerms(): Promise<void> {
  let terms = 0;
  await new Promise<void>((resolve) => {
    const election = createLeaderElection({
      name: 'group',
      store: one.store,
      // With a lease this long, a timer that is left over would keep the process alive for half an hour.
      lease: '1h',
      retryEvery: 20,
      observers: [],
      onStarted: async () => {
        if (++terms < TERMS) throw FAILURE;
        void election.stop().then(resolve);
      },
    });
    election.start();
  });
  count('elections');
}

// Make a first run, which connects and warms up the server.
await executeWithLock(() => 'done', options('first'));
const half = runs / 2;
await Promise.all([manyTerms(), runAll(0, half)]);
const heapBefore = heapBytes();
await Promise.all([manyTerms(), runAll(half, runs)]);
const grownPerRun = Math.round((heapBytes() - heapBefore) / half);

one.close();
other.close();
const listeners = process.listenerCount('SIGTERM');
// Sockets take a moment to close.
for (let looks = 0; looks < 50 && String(alive()) !== String(before); looks++) await sleep(20);
say('ends', { before, after: alive(), counts, grownPerRun, listeners });
