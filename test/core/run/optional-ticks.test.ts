import { type ExecuteOptions, executeWithLock } from 'single-execution';
import { cron, type Schedule } from 'single-execution/schedule';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { missedTicks, ticksBetween } from '../../../src/core/values/tick.js';
import { memoryLocks } from '../../support/memory-locks.js';

const zoned = { timeZone: 'Europe/Berlin' };
/** On the night in between the clock goes forward over 02:30; the moved tick is 01:00 UTC. */
const nightly = cron('30 2 * * *', zoned);
const [BEFORE, MOVED, AFTER] = ['2026-03-28T01:30:00Z', '2026-03-29T01:00:00Z', '2026-03-30T00:30:00Z'] as const;

function job(schedule: Schedule, catchUp: ExecuteOptions['catchUp'] = { mode: 'all', within: '30d' }) {
  const { options, observer } = memoryLocks();
  const ran: (string | undefined)[] = [];
  const missed: string[][] = [];
  const run = (tick: string, fails = false) =>
    executeWithLock(
      (execution) => {
        if (!execution.isCatchUp) missed.push(execution.missedTicks.map((at) => at.toISOString()));
        if (fails) throw new Error('no data');
        ran.push(execution.tick?.toISOString().replace('.000', ''));
      },
      { ...options, schedule, clock: manualClock(Date.parse(tick)), tick: new Date(tick), ...(catchUp && { catchUp }) },
    );
  const givenUp = () => observer.events.filter(({ type }) => type === 'given-up');
  return { run, ran, missed, givenUp };
}

describe('row 88: a tick that clocks have moved or repeated', () => {
  test.each(['none', 'latest', 'all'] as const)(
    'is not missed and not caught up with if no call comes: %s',
    async (mode) => {
      const { run, ran, missed, givenUp } = job(nightly, { mode });
      await run(BEFORE);
      await run(AFTER);

      expect(ran).toEqual([BEFORE, AFTER]);
      expect(missed).toEqual([[], []]);
      expect(givenUp()).toEqual([]);
    },
  );

  test('runs if a call comes, once however often it comes', async () => {
    const { run, ran } = job(nightly);
    await run(BEFORE);
    await run(MOVED);

    expect(await run(MOVED)).toMatchObject({ status: 'skipped', reason: 'already-executed' });
    expect(ran).toEqual([BEFORE, MOVED]);
  });

  test('is caught up with if its call came and failed', async () => {
    const { run, ran } = job(nightly);
    await run(BEFORE);
    await expect(run(MOVED, true)).rejects.toThrow('no data');
    await run(AFTER);

    expect(ran).toEqual([BEFORE, MOVED, AFTER]);
  });

  test('counts as missed neither for an hourly job, whose hour autumn repeats', async () => {
    const { run, ran } = job(cron('15 * * * *', zoned));
    await run('2026-10-24T23:15:00Z');
    await run('2026-10-25T03:15:00Z');

    expect(ran.slice(1)).toEqual(['2026-10-25T00:15:00Z', '2026-10-25T02:15:00Z', '2026-10-25T03:15:00Z']);
  });

  test('hides no later tick that was missed, however many are optional', () => {
    const each = cron('*/10 * * * * *', zoned);
    const [fromMs, toMs] = [Date.parse('2026-10-25T00:59:40Z'), Date.parse('2026-10-25T02:00:20Z')];
    const sure = ['00:59:40', '00:59:50', '02:00:00', '02:00:10'].map((time) => Date.parse(`2026-10-25T${time}Z`));

    expect(ticksBetween(each, fromMs, toMs, 10)).toEqual(sure);
    expect(ticksBetween(each, fromMs, toMs, 3)).toEqual(sure.slice(0, 3));
    expect(missedTicks(fromMs - 1, toMs, each)).toEqual({ ticksMs: sure, others: 0 });
  });
});
