import type { Execution } from 'single-execution';
import { withSingleExecution as onHttp } from 'single-execution/http';
import { withSingleExecution as inProcess } from 'single-execution/process';
import { cron, eventBridge } from 'single-execution/schedule';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../support/memory-locks.js';

const schedule = cron('*/10 * * * *');

describe("row 88: with tick: 'nearest', hosts whose clocks differ", () => {
  const setting = () => {
    const { store } = memoryLocks();
    const on = (skewMs: number) => ({
      ...{ name: 'digest', store, lockAtMostFor: '1m', observers: [], schedule, tick: 'nearest' as const },
      clock: manualClock(NOW + 10 * MINUTE + skewMs),
    });
    return { on };
  };

  test.each([-1, 1])('run a job once in a process, however it is called', async (sign) => {
    const { on } = setting();
    const [job, elsewhere] = [0, sign * 4 * MINUTE].map((skewMs) =>
      inProcess((_first: string, { tick }: Execution) => tick, on(skewMs)),
    );

    expect(await job?.('interval')).toEqual(new Date(NOW + 10 * MINUTE));
    expect(await elsewhere?.('interval')).toMatchObject({
      reason: 'already-executed',
      tick: new Date(NOW + 10 * MINUTE).toISOString(),
    });
  });

  test('answer a request once that has no time', async () => {
    const { on } = setting();
    const [route, elsewhere] = [2 * MINUTE, -2 * MINUTE].map((skewMs) =>
      onHttp((_request, _context, { tick }) => Response.json({ tick }), { ...on(skewMs), secret: false }),
    );
    const answer = async (response: Promise<Response> | undefined) => (await response)?.json();

    expect(await answer(route?.(new Request('https://example.com/')))).toEqual({ tick: '2026-01-01T00:10:00.000Z' });
    expect(await answer(elsewhere?.(new Request('https://example.com/')))).toMatchObject({
      status: 'skipped',
      reason: 'already-executed',
    });
  });
});

test('row 61: with locking switched off a job runs even before its first tick', async () => {
  vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const { store } = memoryLocks();
  const once = eventBridge('at(2027-01-01T09:00:00)');
  const options = { name: 'digest', store, lockAtMostFor: '1m', schedule: once, tick: 'nearest' as const };
  const clock = manualClock(Date.parse('2026-12-01T09:00:00Z'));
  const job = inProcess(({ tick }: Execution) => tick, { ...options, clock });

  expect(await job()).toEqual(new Date('2027-01-01T09:00:00Z'));
});
