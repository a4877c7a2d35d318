/*
 * A process that uses everything this library offers, over and over, and then ends by itself. It reports which
 * resources were active before and afterwards, and how much its heap grew.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, type Execution, executeWithLock, LockHeldError, LockStoreError } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { createLeaderElection } from 'single-execution/leader';
import { withSingleExecution } from 'single-execution/process';
import type { StoreAddress } from '../support/backends/backend.js';
import { openStore } from '../support/backends.js';
import { order, say } from '../support/told.js';

export interface ThousandRunsOrder {
  readonly store: StoreAddress;
  readonly runs: number;
  readonly abreast: number;
}

const { store: address, runs, abreast } = order<ThousandRunsOrder>();
/** No machine is too slow for this lease. */
const LEASE_MS = 300_000;
/** A run with this lease waits for its renewal, or for its loss. */
const RENEWED_LEASE_MS = 6_000;
const TERMS = 15;
/** The heap is measured after each of these parts of the runs. */
const PARTS = 4;
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

/** Options of a run, and a function that waits until its lease was renewed or lost. */
function renewing(name: string) {
  let isSeen = false;
  const { observers, ...others } = options(name);
  const look = ({ type }: { readonly type: string }) => {
    isSeen ||= type === 'extended' || type === 'lost';
  };
  return {
    ...others,
    lockAtMostFor: RENEWED_LEASE_MS,
    observers: [...observers, look],
    async renewed() {
      // The timer of a renewal does not keep a process alive. This one does.
      while (!isSeen) await sleep(20);
    },
  };
}

const isOutOfReach = (error: unknown) =>
  error instanceof LockStoreError && (error.code === 'UNAVAILABLE' || error.code === 'UNSETTLED');
const wrongOf = (error: unknown) => (isOutOfReach(error) ? 'out of reach' : 'wrong');

/** The kinds of runs, which take turns. */
const SHORT: readonly ((name: string) => Promise<unknown>)[] = [
  (name) => executeWithLock(() => 'done', options(name)),
  (name) => withSingleExecution(() => 'done', { ...options(name), tick: 'none' })(),
  (name) =>
    executeWithLock(() => Promise.reject(FAILURE), options(name)).catch((error) =>
      count(error === FAILURE ? 'rejected' : wrongOf(error)),
    ),
  (name) => executeWithLock(({ extend }: Execution) => extend('10m'), options(name)),
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
    await lock.extend('10m');
    await acquireLock(options(name)).catch((error) =>
      count(error instanceof LockHeldError ? 'refused' : wrongOf(error)),
    );
  },
];
const LONG: readonly ((name: string) => Promise<unknown>)[] = [
  (name) => {
    const { renewed, ...others } = renewing(name);
    return executeWithLock(renewed, others);
  },
  // An operator takes the lock away, and the next renewal notices.
  async (name) => {
    const { renewed, ...others } = renewing(name);
    const { fencingToken, signal, release } = await acquireLock(others);
    await lockAdmin(one.admin).forceRelease(name, { fencingToken });
    await renewed();
    count(`aborted ${signal.aborted}, ${await release()}`);
  },
];

/** Makes one run; every twentieth is a long one. On a machine that is too slow, a run does not reach its store. */
async function runOne(n: number): Promise<unknown> {
  const kinds = n % 20 === 0 ? LONG : SHORT;
  const round = n % 20 === 0 ? n / 20 : n;
  return kinds[round % kinds.length]?.(`job-${n}`).catch((error) => {
    if (!isOutOfReach(error)) throw error;
    count('out of reach');
  });
}

async function runAll(from: number, to: number): Promise<void> {
  let next = from;
  const lane = async () => {
    while (next < to) await runOne(next++);
  };
  await Promise.all(Array.from({ length: abreast }, lane));
}

/** What is left on the heap once sockets are closed and finalizers have run. */
async function heapBytes(): Promise<number> {
  for (let n = 0; n < 3; n++) {
    globalThis.gc?.();
    await sleep(50);
  }
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
const each = runs / PARTS;
const heaps: number[] = [];
for (let part = 0; part < PARTS; part++) {
  await Promise.all([manyTerms(), runAll(part * each, (part + 1) * each)]);
  heaps.push(await heapBytes());
}
// A leak grows in each part. Caches, connections and what a busy machine leaves pending grow in one, and shrink in another.
const growths = heaps.slice(1).map((bytes, part) => bytes - (heaps[part] ?? 0));
const grownPerRun = Math.round(Math.min(...growths) / each);

one.close();
other.close();
const listeners = process.listenerCount('SIGTERM');
// Sockets take a moment to close.
for (let looks = 0; looks < 50 && String(alive()) !== String(before); looks++) await sleep(20);
say('ends', { before, after: alive(), counts, grownPerRun, listeners });
