import { createContext, runInContext } from 'node:vm';
import { executeWithLock, type LockOptions } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { memoryStore } from 'single-execution/memory';
import { withSingleExecution } from 'single-execution/process';
import { cron, rate } from 'single-execution/schedule';
import { manualClock, scheduledEvent } from 'single-execution/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { describe as shown } from '../../../src/core/values/checks.js';
import { msOfDate } from '../../../src/core/values/date.js';
import { DATES_OF_OTHERS, MOCKED_DATES } from './dates-of-others.js';

const NOW = Date.parse('2026-01-01T02:00:00Z');
const DAY = 86_400_000;

/** Ways to make a Date that `instanceof Date` does not recognise, at least after a mock has been set. */
const FOREIGN: Readonly<Record<string, (ms: number) => Date>> = {
  'another realm': (ms) => runInContext(`new Date(${ms})`, createContext({})),
  'a subclass': (ms) => new (class Later extends Date {})(ms),
  'a subclass of another realm': (ms) => runInContext(`new (class Later extends Date {})(${ms})`, createContext({})),
};

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('F138 a Date is one by what it is, not by its class', () => {
  test.each(Object.entries(FOREIGN))('F138 of %s', async (_, at) => {
    expect(msOfDate(at(NOW))).toBe(NOW);
    expect(msOfDate(at(Number.NaN))).toBeNaN();
    await takesEverywhere(at);
  });

  test.each(Object.entries(MOCKED_DATES))('F138 made before the global Date was replaced by %s', async (_, mock) => {
    const made = new Map([0, -DAY, DAY, 1, Number.NaN].map((offset) => [offset, new Date(NOW + offset)]));
    const restore = mock(NOW);
    try {
      await takesEverywhere((ms) => made.get(ms - NOW) ?? (made.get(Number.NaN) as Date));
    } finally {
      restore();
    }
  });

  test.each(Object.entries(MOCKED_DATES))('F138 made while the global Date is %s, used after', async (_, mock) => {
    const restore = mock(NOW);
    const made = new Map([0, -DAY, DAY, 1, Number.NaN].map((offset) => [offset, new Date(NOW + offset)]));
    restore();

    await takesEverywhere((ms) => made.get(ms - NOW) ?? (made.get(Number.NaN) as Date));
  });

  test('F138 and nothing else is one', () => {
    const proxy = new Proxy(new Date(NOW), {});
    const others = [
      null,
      undefined,
      NOW,
      '2026-01-01',
      {},
      { getTime: () => NOW },
      Object.create(Date.prototype),
      proxy,
    ];
    for (const value of [...others, { [Symbol.toStringTag]: 'Date' }]) expect(msOfDate(value)).toBeUndefined();
  });

  test.each(DATES_OF_OTHERS)(
    'F138 %s is refused, and the error says how to make a Date of it',
    async (_, value, says) => {
      expect(shown(value)).toBe(says);
      const options = { name: 'x', store: memoryStore(), lockAtMostFor: '1m', observers: [] };
      await expect(executeWithLock(() => 1, { ...options, tick: value as never })).rejects.toThrow(
        new TypeError(`tick is ${says}: pass a Date, or epoch milliseconds, or leave it out`),
      );
      expect(() => cron('0 2 * * *').next(value as never)).toThrow(new TypeError(`at is ${says}: pass a Date`));
    },
  );
});

async function takesEverywhere(at: (ms: number) => Date): Promise<void> {
  const clock = manualClock(at(NOW));
  const store = memoryStore();
  const options: LockOptions & { readonly name: string } = {
    name: 'x',
    store,
    lockAtMostFor: '1m',
    clock,
    observers: [],
  };
  const status = async (more: object) => (await executeWithLock(() => 1, { ...options, ...more })).status;
  expect(await status({ tick: at(NOW), deadline: at(NOW + DAY) })).toBe('executed');
  expect(await status({ tick: at(NOW) })).toBe('skipped');
  await expect(status({ tick: at(Number.NaN) })).rejects.toThrow('tick is an invalid Date');

  const daily = cron('0 2 * * *');
  expect(daily.previous(at(NOW))).toEqual(new Date(NOW));
  expect(daily.next(at(NOW))).toEqual(new Date(NOW + DAY));
  expect(daily.between(at(NOW - DAY), at(NOW + DAY))).toHaveLength(2);
  expect(rate('1d', { start: at(NOW) }).next(at(NOW + 1))).toEqual(new Date(NOW + DAY));
  expect(scheduledEvent({ time: at(NOW) }).time).toBe('2026-01-01T02:00:00Z');

  const own = { previous: () => at(NOW), next: () => at(NOW + DAY), between: () => [at(NOW)], toString: () => 'own' };
  const calls: Readonly<Record<string, [options: object, argument?: unknown]>> = {
    nearest: [{ tick: 'nearest', schedule: own }],
    chosen: [{ tick: () => at(NOW) }],
    'of node-cron': [{ tick: 'event' }, { date: at(NOW), triggeredAt: at(NOW + 1) }],
  };
  for (const [name, [more, argument]] of Object.entries(calls)) {
    const job = withSingleExecution(({ tick }) => tick?.getTime(), { ...options, name, ...more } as never);
    expect(await (job as (argument: unknown) => Promise<unknown>)(argument)).toBe(NOW);
  }

  const admin = lockAdmin(store, { clock });
  expect(await admin.pause('x', { until: at(NOW + DAY) })).toMatchObject({ paused: { until: new Date(NOW + DAY) } });
  expect(shown(at(NOW))).toBe('2026-01-01T02:00:00.000Z');
}
