/*
 * A worker of the soak. It gets ticks on stdin, runs their jobs under locks, and reports everything it sees, with
 * instants of the machine's clock since the play began. One handler in two works by a timer. The other handlers work by
 * beats on stdin, which wait if the worker is stopped. After `finish` it ends when its runs have ended.
 */
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Execution,
  executeWithLock,
  LockLostError,
  type LockStore,
  LockStoreError,
  type Outcome,
} from 'single-execution';
import { openStore } from '../../support/backends.js';
import { nameOf, order } from '../../support/told.js';
import { machineMs, wallOffsetMs, watchTimers } from './clock.js';
import { BEAT, FINISH, type Report, type Settled, type TickOrder, WORK_EVERY_MS, type WorkerOrder } from './history.js';
import { openWitnessFile, type WitnessFile } from './witness-file.js';

const { store: address, folder, originMs } = order<WorkerOrder>();
const { store, close } = await openStore(address);
const witnesses = new Map<string, WitnessFile>();

const now = () => machineMs() - originMs;
const tell = (report: Report) => process.stdout.write(`${JSON.stringify(report)}\n`);

const timers = watchTimers(now, (fromMs, toMs) => tell({ said: 'stalled', fromMs, toMs }));
/** Reports a gap of the timers first: a worker that stood still may be killed before its next timer fires. */
const say = (id: number, part: Omit<Extract<Report, { readonly said: 'delivery' }>, 'said' | 'id'>) => {
  timers.tellGap();
  tell({ said: 'delivery', id, ...part });
};

class PlannedFailure extends Error {
  override readonly name = 'PlannedFailure';
}

/** The handler has stopped because its signal aborted; the cause says why. */
class Aborted extends Error {
  override readonly name = 'Aborted';
}

async function take(tick: TickOrder): Promise<void> {
  const { id, job, tickMs } = tick;
  say(id, { receivedMs: now() });
  const { name, lockAtMostForMs, lockAtLeastForMs, keepAlive, tickMark } = job;
  const settled = await executeWithLock((execution) => work(execution, tick), {
    name,
    tick: tickMs,
    tickMark,
    keepAlive,
    lockAtMostFor: lockAtMostForMs,
    lockAtLeastFor: lockAtLeastForMs,
    observers: [],
    store: storeFor(id),
  }).then(endingOf, endingOfError);
  say(id, { settled: { ...settled, atMs: now() } });
}

/**
 * Puts the delivery's id into the record as the holder, so that a skipped delivery knows who held the lock. Reports
 * each grant.
 */
function storeFor(id: number): LockStore {
  return {
    ...store,
    async acquire(claim, call) {
      const result = await store.acquire({ ...claim, lockedBy: String(id) }, call);
      if (result.status === 'acquired') say(id, { granted: { token: result.lease.fencingToken, atMs: now() } });
      return result;
    },
  };
}

function endingOf(outcome: Outcome<void>): Omit<Settled, 'atMs'> {
  if (outcome.status === 'executed') return { ending: `ran: ${outcome.release}` };
  return { ending: `skipped: ${outcome.reason}`, holder: outcome.holder };
}

function endingOfError(error: unknown): Omit<Settled, 'atMs'> {
  if (error instanceof PlannedFailure) return { ending: 'failed' };
  if (error instanceof Aborted) return { ending: `aborted: ${nameOf(error.cause)}` };
  if (error instanceof LockLostError) return { ending: 'not begun: LockLostError' };
  if (error instanceof LockStoreError) return { ending: `store error: ${error.code}` };
  return { ending: `error: ${error instanceof Error ? error.stack : error}` };
}

/** A function for each handler that waits for the next beat. It wakes that handler. */
const waiting = new Set<() => void>();

/** Waits until a handler has its next piece of work, or its signal aborts. */
async function nextPiece(id: number, signal: AbortSignal): Promise<void> {
  if (id % 2 === 0) return sleep(WORK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  let onBeat = () => {};
  await new Promise<void>((resolve) => {
    onBeat = resolve;
    waiting.add(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  waiting.delete(onBeat);
}

/**
 * Writes to the job's witness until the work is done or its signal aborts. It asks its signal before each write but the
 * first.
 */
async function work({ fencingToken: token, signal, previous }: Execution, tick: TickOrder): Promise<void> {
  const { id, job, worksMs, fails } = tick;
  const told = previous && { status: previous.status, token: previous.fencingToken };
  say(id, { run: { token, beganMs: now(), ...(told && { previous: told }) } });
  signal.addEventListener('abort', () => say(id, { run: { aborted: { reason: nameOf(signal.reason), atMs: now() } } }));
  const write = witnessOf(job.name);
  let hasReturned = false;
  try {
    for (let workedMs = 0; workedMs < worksMs; workedMs += WORK_EVERY_MS) {
      const [atMs, hasAsked] = [now(), workedMs > 0];
      if (hasAsked && signal.aborted) throw new Aborted('', { cause: signal.reason });
      write({ token, delivery: id, atMs, hasAsked });
      await nextPiece(id, signal);
    }
    if (signal.aborted) throw new Aborted('', { cause: signal.reason });
    if (fails) throw new PlannedFailure();
    hasReturned = true;
  } finally {
    say(id, { run: { endedMs: now(), hasReturned } });
  }
}

function witnessOf(job: string): WitnessFile {
  const witness = witnesses.get(job) ?? openWitnessFile(join(folder, job));
  witnesses.set(job, witness);
  return witness;
}

// Send a first request under a long lease: the first request of a process is slow, and a short lease might end before
// it is answered.
await executeWithLock(() => undefined, { name: 'warm-up', store, lockAtMostFor: '1m', observers: [] }).catch(
  () => undefined,
);
tell({ said: 'ready', wallOffsetMs: wallOffsetMs() });

const running = new Set<Promise<void>>();
const finish = async () => {
  await Promise.all(running);
  timers.stop();
  close();
  // Do not wait for requests that were never answered.
  process.exit();
};
for await (const line of createInterface({ input: process.stdin })) {
  if (line === FINISH) void finish();
  else if (line === BEAT) for (const goOn of waiting) goOn();
  else {
    const run: Promise<void> = take(JSON.parse(line)).finally(() => running.delete(run));
    running.add(run);
  }
}
await finish();
