import { describe, expect, test } from 'vitest';
import { playNight, type SchedulerName } from './schedulers.js';

const BERLIN = 'Europe/Berlin';
const LORD_HOWE = 'Australia/Lord_Howe';

/** Each begins before the tick of the day before, so that this tick is done when the clock changes. */
const NIGHTS = {
  'spring in Berlin': { timeZone: BERLIN, from: '2026-03-28T00:30:00Z', to: '2026-03-29T03:10:00Z' },
  'spring on Lord Howe': { timeZone: LORD_HOWE, from: '2026-10-02T15:00:00Z', to: '2026-10-03T17:10:00Z' },
  'spring at midnight in Havana': {
    timeZone: 'America/Havana',
    from: '2026-03-07T04:50:00Z',
    to: '2026-03-08T06:10:00Z',
  },
  'autumn in Berlin': { timeZone: BERLIN, from: '2026-10-24T00:10:00Z', to: '2026-10-25T02:10:00Z' },
  'autumn on Lord Howe': { timeZone: LORD_HOWE, from: '2026-04-03T14:00:00Z', to: '2026-04-04T16:10:00Z' },
} as const;

type Calls = readonly string[];

/** The calls on the day of the change. `skips` are those that stand for a tick that has run, or that comes later. */
interface Row {
  readonly night: keyof typeof NIGHTS;
  readonly expression: string;
  readonly calls: Partial<Record<SchedulerName, Calls>>;
  readonly skips?: Partial<Record<SchedulerName, Calls>>;
}

/** croner 10 is left out in autumn: there it computes for minutes. */
const ROWS: readonly Row[] = [
  {
    night: 'spring in Berlin',
    expression: '30 2 * * *',
    calls: { 'croner 11': ['01:00'], 'croner 10': ['01:30'], 'cron 4 (NestJS)': ['01:00'], 'node-cron 4': [] },
  },
  {
    night: 'spring in Berlin',
    expression: '0,30 2 * * *',
    calls: { 'croner 11': [], 'cron 4 (NestJS)': ['01:00'], 'node-cron 4': [] },
  },
  {
    night: 'spring in Berlin',
    expression: '*/30 2 * * *',
    calls: { 'croner 11': [], 'croner 10': ['01:00'], 'cron 4 (NestJS)': ['01:00'], 'node-cron 4': [] },
  },
  {
    night: 'spring in Berlin',
    expression: '15 0-4 * * *',
    calls: {
      'croner 11': ['00:15', '01:15', '02:15'],
      'cron 4 (NestJS)': ['00:15', '01:00', '01:15', '02:15'],
      'node-cron 4': ['00:15', '01:15', '02:15'],
    },
  },
  {
    night: 'spring on Lord Howe',
    expression: '15 2 * * *',
    calls: {
      'croner 11': ['15:30'],
      'croner 10': ['15:45'],
      'cron 4 (NestJS)': ['15:15', '15:45'],
      'node-cron 4': [],
    },
    // cron calls once before the change, and once after it.
    skips: { 'cron 4 (NestJS)': ['15:15'] },
  },
  {
    night: 'spring at midnight in Havana',
    expression: '0 0 * * *',
    calls: { 'croner 11': ['05:00'], 'cron 4 (NestJS)': ['05:00'], 'node-cron 4': [] },
  },
  {
    night: 'autumn in Berlin',
    expression: '30 2 * * *',
    calls: { 'croner 11': ['00:30'], 'cron 4 (NestJS)': ['00:30'], 'node-cron 4': ['01:30'] },
  },
  {
    night: 'autumn in Berlin',
    expression: '5 * * * *',
    calls: {
      'croner 11': ['00:05', '01:05', '02:05'],
      'cron 4 (NestJS)': ['00:05', '01:05', '02:05'],
      'node-cron 4': ['01:05', '02:05'],
    },
  },
  {
    night: 'autumn in Berlin',
    expression: '0 3 * * *',
    calls: { 'croner 11': ['02:00'], 'cron 4 (NestJS)': ['01:00', '02:00'], 'node-cron 4': ['02:00'] },
    // cron calls 03:00 at 02:00, which the clock shows again, and at 03:00.
    skips: { 'cron 4 (NestJS)': ['01:00'] },
  },
  {
    night: 'autumn on Lord Howe',
    expression: '45 1 * * *',
    calls: { 'croner 11': ['14:45'], 'cron 4 (NestJS)': ['14:45'], 'node-cron 4': ['15:15'] },
  },
];

/** The option that the page of each scheduler names. */
const TICK = {
  'croner 11': 'event',
  'croner 10': 'event',
  'cron 4 (NestJS)': { dialect: 'cron' },
  'node-cron 4': 'event',
} as const;

const CASES = ROWS.flatMap(({ night, expression, calls, skips = {} }) =>
  (Object.keys(calls) as SchedulerName[]).map(
    (name) => [name, expression, night, calls[name] ?? [], skips[name] ?? []] as const,
  ),
);

describe('row 153: a call that a scheduler makes on the night of a change is not lost', () => {
  test.each(CASES)('%s, %s, %s: calls at %o, skips at %o', async (name, expression, night, calls, skips) => {
    const played = await playNight(name, expression, NIGHTS[night], TICK[name]);
    const day = NIGHTS[night].to.slice(8, 10);
    const onDay = (texts: readonly string[]) =>
      texts.filter((text) => text.startsWith(day)).map((text) => text.slice(3, 8));

    expect(onDay(played.calls)).toEqual(calls);
    expect(onDay(played.skipped)).toEqual(skips);
    expect(onDay(played.ran)).toHaveLength(calls.length - skips.length);
  });

  test.each<[string, SchedulerName]>([
    ['30 2 * * *', 'cron 4 (NestJS)'],
    ['0,30 2 * * *', 'cron 4 (NestJS)'],
    ['30 2 * * *', 'croner 11'],
    ['0 2 * * *', 'croner 10'],
  ])("%s by %s runs with tick: 'nearest' and a crontab in no dialect, too", async (expression, name) => {
    const { ran, skipped } = await playNight(name, expression, NIGHTS['spring in Berlin'], {});

    expect(ran).toContain('29 01:00');
    expect(skipped).toEqual([]);
  });
});
