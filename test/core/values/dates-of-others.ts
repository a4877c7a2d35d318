import { install } from '@sinonjs/fake-timers';
import dayjs from 'dayjs';
import { DateTime } from 'luxon';
import MockDate from 'mockdate';
import moment from 'moment';
import { Temporal } from 'temporal-polyfill';
import timekeeper from 'timekeeper';
import { vi } from 'vitest';

const ISO = '2026-01-01T02:00:00Z';

/** Ways to replace the global `Date`, by the packages that people use. Each returns how to undo it. */
export const MOCKED_DATES: Readonly<Record<string, (nowMs: number) => () => void>> = {
  'vi.setSystemTime() without fake timers': (nowMs) => {
    vi.setSystemTime(nowMs);
    return () => void vi.useRealTimers();
  },
  'vi.useFakeTimers()': (nowMs) => {
    vi.useFakeTimers({ now: nowMs, toFake: ['Date'] });
    return () => void vi.useRealTimers();
  },
  "sinon's fake timers": (now) => {
    const clock = install({ now, toFake: ['Date'] });
    return () => clock.uninstall();
  },
  mockdate: (nowMs) => {
    MockDate.set(nowMs);
    return () => MockDate.reset();
  },
  timekeeper: (nowMs) => {
    timekeeper.freeze(nowMs);
    return () => timekeeper.reset();
  },
  'a class of the test': () => {
    vi.stubGlobal('Date', class Mocked extends Date {});
    return () => void vi.unstubAllGlobals();
  },
};

/** Instants of date libraries that are not Dates, and how an error describes them. */
export const DATES_OF_OTHERS: readonly (readonly [title: string, value: unknown, says: string])[] = [
  ["dayjs's", dayjs(ISO), 'an object (use its toDate)'],
  ["moment's", moment(ISO), 'an object (use its toDate)'],
  ["luxon's", DateTime.fromISO(ISO), 'an object (use its toJSDate)'],
  ['Temporal.Instant', Temporal.Instant.from(ISO), 'an object (use its epochMilliseconds)'],
  ['Temporal.ZonedDateTime', Temporal.ZonedDateTime.from(`${ISO}[UTC]`), 'an object (use its epochMilliseconds)'],
];
