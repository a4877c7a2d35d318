/*
 * A process that runs one task under a lock with keepAlive, reports what it sees, and ends by itself. Words on stdin
 * control the task: `finish` lets it return, `block` lets it compute past its lease without a pause, `work` lets it do
 * a piece of work unless its signal has aborted. At the point `killAt` it kills itself, as in a crash of its host.
 */
import { createInterface } from 'node:readline';
import { type Execution, executeWithLock, type LockStore } from 'single-execution';
import type { StoreAddress } from '../support/backends/backend.js';
import { openStore } from '../support/backends.js';
import { nameOf, order, say } from '../support/told.js';

export type KillPoint = 'before acquire' | 'after acquire' | 'in the task' | 'before release' | 'after release';

export interface HolderOrder {
  readonly store: StoreAddress;
  readonly name: string;
  readonly leaseMs: number;
  readonly tickMs?: number;
  readonly tickMark?: 'success' | 'start';
  readonly killAt?: KillPoint;
}

const LOOK_EVERY_MS = 5;
const WORK_MS = 3;

const { store: address, name, leaseMs, tickMs, tickMark = 'success', killAt } = order<HolderOrder>();

/** A gap between two looks that is worth a report. The parent knows how long the suspension was that it waits for. */
const GAP_MS = 500;

/** Calls `assertHeld`. @returns the name of its error, or `held` */
function heldOr(execution: Execution): string {
  try {
    execution.assertHeld();
    return 'held';
  } catch (error) {
    return nameOf(error);
  }
}

/** Reports what the library has noticed by itself in the first turn after each suspension. */
function lookOut(execution: Execution): () => void {
  let lookedAt = performance.now();
  const look = () => {
    const gapMs = performance.now() - lookedAt;
    lookedAt = performance.now();
    if (gapMs < GAP_MS) return;
    // By this turn all due timers have fired.
    setImmediate(() => say('woke', { gapMs, reason: nameOf(execution.signal.reason), assertHeld: heldOr(execution) }));
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

function dieAt(point: KillPoint): void {
  if (killAt === point) process.kill(process.pid, 'SIGKILL');
}

function mortal({ acquire, extend, mark, release }: LockStore): LockStore {
  return {
    async acquire(claim, call) {
      dieAt('before acquire');
      const result = await acquire(claim, call);
      dieAt('after acquire');
      return result;
    },
    extend,
    mark,
    async release(lease, completion, call) {
      dieAt('before release');
      const result = await release(lease, completion, call);
      dieAt('after release');
      return result;
    },
  };
}

const { store, close } = await openStore(address);
const orders = createInterface({ input: process.stdin });
const compute = (ms: number) => {
  for (const endAt = performance.now() + ms; performance.now() < endAt; );
};
const finish = new Promise<void>((resolve) => {
  orders.on('line', (line) => {
    if (line === 'finish') resolve();
    if (line === 'block') compute(leaseMs * 1.2);
  });
});
let pieces = 0;

async function task(execution: Execution): Promise<string> {
  const { fencingToken, signal } = execution;
  dieAt('in the task');
  signal.addEventListener('abort', () => say('aborted', { reason: nameOf(signal.reason) }));
  orders.on('line', (line) => {
    if (line !== 'work' || signal.aborted) return;
    compute(WORK_MS);
    pieces++;
  });
  const rest = lookOut(execution);
  say('running', { fencingToken });
  if (killAt === undefined) await finish;
  rest();
  return 'done';
}

// Send a first request under a long lease: the first request of a process is slow, and a short lease might end before
// it is answered.
await executeWithLock(() => undefined, { name: `${name} before`, store, lockAtMostFor: '1m' });
const outcome = await executeWithLock(task, {
  name,
  store: mortal(store),
  lockAtMostFor: leaseMs,
  keepAlive: true,
  tickMark,
  ...(tickMs !== undefined && { tick: tickMs }),
  observers: [({ type }) => say(type, { isEvent: true })],
});
say('settled', { outcome, pieces });
orders.close();
process.stdin.destroy();
close();
