/**
 * The runs and skips that `upstash-work.ts`, `redis-work.ts` and `sql-work.ts` measure beside a lock that people write
 * by hand.
 */
import { withSingleExecution } from 'single-execution';
import { lambdaContext } from 'single-execution/testing';
import type { LockStore } from '../src/core/ports/lock-store.js';
import { newAttemptId } from '../src/core/values/names.js';
import { compare, type Work } from './side-by-side.js';

/**
 * The lease of a lock by hand. It is longer than a benchmark takes, because the lock that skips find held is taken only
 * once.
 */
export const LEASE_MS = 3_600_000;
export const COMPARE_AND_DELETE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;
export const AT_ONCE = 64;
const OLD_TICK = Date.UTC(2026, 0, 1);

/**
 * A store, and a lock by hand over the same client. `take` resolves to whether the lock was taken, `give` to whether it
 * was given back.
 */
export interface Locks {
  readonly store: LockStore;
  take(key: string, id: string): Promise<boolean>;
  give(key: string, id: string): Promise<boolean>;
}

/** The work that is measured, ours and by hand: a run, a skip, and many of each at once. */
export type Works = Record<'run' | 'skip' | 'runs' | 'skips', Record<'bare' | 'ours', Work>>;

let tick = Date.now() - 10_000_000;

/** Makes work of many runs at once, each of another lock. */
export function runsOf(store: LockStore): Work {
  const many = Array.from({ length: AT_ONCE }, (_, i) => wrapped(store, `many ${i}`));
  return () => Promise.all(many.map((run) => run(tick++, 'executed')));
}

/**
 * Makes the work that is measured. Before that it runs each lock, so that the records are as long as the records of
 * locks in use.
 */
export async function worksOf({ store, take, give }: Locks): Promise<Works> {
  const bareRun = async (key: string) => {
    const id = newAttemptId();
    if (!(await take(key, id))) throw new Error('the bare lock is held');
    if (!(await give(key, id))) throw new Error('the bare lock was lost');
  };
  const bareSkip = async () => {
    if (await take('bare, held', newAttemptId())) throw new Error('the bare lock was free');
  };
  const atOnce = (work: (i: number) => Promise<unknown>) => () =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, i) => work(i)));

  const [ours, done, oursAtOnce] = [wrapped(store, 'ours'), wrapped(store, 'done'), runsOf(store)];
  const ourSkip = () => done(OLD_TICK, 'skipped');
  await take('bare, held', newAttemptId());
  for (let run = 0; run < 12; run++) {
    await ours(tick++, 'executed');
    await done(Date.now(), 'executed');
    await oursAtOnce();
  }
  return {
    run: { bare: () => bareRun('bare'), ours: () => ours(tick++, 'executed') },
    skip: { bare: bareSkip, ours: ourSkip },
    runs: { bare: atOnce((i) => bareRun(`bare ${i}`)), ours: oursAtOnce },
    skips: { bare: atOnce(bareSkip), ours: atOnce(ourSkip) },
  };
}

export async function compareAll(works: Works, rounds: number): Promise<void> {
  await compare('a run, against a SET NX PX and a compare-and-delete', { rounds }, works.run);
  await compare('a skip, against a refused SET NX PX', { rounds }, works.skip);
  const turns = { rounds, perBlock: 8 };
  await compare(`${AT_ONCE} runs at once, each of a name of its own`, turns, works.runs);
  await compare(`${AT_ONCE} skips at once`, turns, works.skips);
}

/** Makes a wrapped handler that is called as Lambda would call it. Each event has a tick of its own. */
function wrapped(store: LockStore, name: string) {
  const options = { name, store, tick: (event: { tick: number }) => event.tick, observers: [] };
  const handler = withSingleExecution(async (_: { tick: number }) => 'done', options);
  return async (at: number, outcome: 'executed' | 'skipped') => {
    const isRun = (await handler({ tick: at }, lambdaContext())) === 'done';
    if (isRun !== (outcome === 'executed')) throw new Error(`the run of "${name}" was not ${outcome}`);
  };
}
