import fc from 'fast-check';
import { type ExecuteOptions, executeWithLock, type LockEvent } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { cron } from 'single-execution/schedule';
import { expect, test } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';

const HOUR = 60 * MINUTE;
const anyEnd = fc.constantFrom('succeeds', 'fails', 'crashes', 'is ended by force');
const anyDelivery = fc.record({
  /** How many deliveries before this one did not come. A retry is for the same tick as the delivery before. */
  missed: fc.integer({ min: 0, max: 3 }),
  isRetry: fc.boolean(),
  end: anyEnd,
  byHand: fc.array(anyEnd, { maxLength: 2 }),
});
const anyWorld = fc.record({
  deliveries: fc.array(anyDelivery, { minLength: 1, maxLength: 12 }),
  schedule: fc.constantFrom(cron('0 * * * *'), '1h'),
  mode: fc.constantFrom('none', 'latest', 'all'),
  tickMark: fc.constantFrom('success', 'success', 'start'),
  lockAtLeastFor: fc.constantFrom('0s', '10m'),
});
type World = typeof anyWorld extends fc.Arbitrary<infer W> ? W : never;

/** What is seen of the deliveries: what each run and each observer is told of ticks, and which ticks are open then. */
async function play({ deliveries, mode, ...options }: World, hasRunsByHand: boolean): Promise<unknown[]> {
  const { clock, store } = memoryLocks();
  const admin = lockAdmin(store, { clock });
  const seen: unknown[] = [];
  const observer = ({ type, at: _, attemptId: __, ...event }: LockEvent) =>
    ['missed', 'caught-up', 'given-up'].includes(type) && seen.push({ type, ...event });
  const common = { name: 'digest', store, clock, observers: [observer], lockAtMostFor: '20m', ...options };
  const canCatchUp = typeof options.schedule === 'object' && options.tickMark === 'success';
  const call = async (end: string, own: Pick<ExecuteOptions, 'tick' | 'isManual'>) => {
    let enter = (_: 'entered') => {};
    const entered = new Promise<'entered'>((resolve) => {
      enter = resolve;
    });
    const ended = executeWithLock(
      async ({ fencingToken, ...execution }) => {
        const { tick, isCatchUp, missedTicks, doneTick } = execution;
        if (!own.isManual) seen.push({ tick, isCatchUp, missedTicks, doneTick });
        if (end === 'is ended by force') await admin.forceRelease('digest', { fencingToken });
        if (end === 'fails') throw new Error('no data');
        if (end === 'crashes') await new Promise(() => enter('entered'));
      },
      { ...common, ...own, ...(canCatchUp && { catchUp: { mode, within: '6h', max: 3 } }) },
    ).then(
      (outcome) => (outcome.status === 'skipped' ? outcome.reason : 'executed'),
      () => 'failed',
    );
    const how = await Promise.race([ended, entered]);
    // The lease of the run that crashed ends.
    if (how === 'entered') await clock.advance(20 * MINUTE);
    return how;
  };
  let tickMs = NOW;
  for (const { missed, isRetry, end, byHand } of deliveries) {
    for (const itsEnd of hasRunsByHand ? byHand : []) await call(itsEnd, { isManual: true });
    if (!isRetry) tickMs += (1 + missed) * HOUR;
    await clock.advance(Math.max(0, tickMs - clock.now()));
    const how = await call(end, { tick: tickMs });
    const { doneTick, openTicks } = (await admin.get('digest')) ?? {};
    seen.push({ how, doneTick, openTicks });
  }
  return seen;
}

test('row 223: deliveries see the same ticks with runs by hand between them, however these end', async () => {
  await fc.assert(
    fc.asyncProperty(anyWorld, async (world) => {
      expect(await play(world, true)).toEqual(await play(world, false));
    }),
    { numRuns: 50 },
  );
});
