import { CorruptLockError, type LockEvent, LockStoreError, type SkipReason } from 'single-execution';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { operatorLog, warn } from '../../../src/core/observers/operator-log.js';
import type { EventBody } from '../../../src/core/public/events.js';

const LEVELS = ['info', 'warn', 'error'] as const;
/** What was logged, with the level that the console was told. */
let logged: [level: string, line: unknown][];
beforeEach(() => {
  logged = [];
  for (const level of LEVELS) {
    vi.spyOn(console, level).mockImplementation((...args) => {
      expect(args).toHaveLength(1);
      logged.push([level, args[0]]);
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

const at = new Date('2026-01-01T00:00:00Z');
const event = (body: EventBody): LockEvent => ({ name: 'digest', at, attemptId: 'a1', tick: at, ...body });
const previous = { status: 'crashed', lockedBy: 'digest 7', lockedAt: at, fencingToken: 4 } as const;
const next = 'throw';
const secret = new Error('AKIA-SECRET');
const storeError = new LockStoreError('release of lock "digest" failed: Error; see the cause', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'release',
  retryable: true,
  cause: secret,
});

const refused = new LockStoreError('no table (42P01)', {
  code: 'TABLE_NOT_FOUND',
  lockName: 'digest',
  operation: 'acquire',
  retryable: false,
  cause: Object.assign(new Error(), { code: '42P01' }),
});

const holder = {
  lockedBy: 'digest 7',
  lockedAt: '2026-01-01T00:00:00.000Z',
  lockUntil: '2026-01-01T00:05:00.000Z',
  fencingToken: 4,
};

test.each<EventBody>([
  { type: 'attempted' },
  { type: 'acquired', fencingToken: 5 },
  { type: 'started', fencingToken: 5 },
  { type: 'extended', fencingToken: 5, lockUntil: at },
  { type: 'released', fencingToken: 5, heldMs: 5 },
  { type: 'finished', durationMs: 5, release: 'released' },
  { type: 'failed', durationMs: 5, release: 'released', error: secret },
])('is silent on $type, which is all in a day’s work', (body) => {
  operatorLog(event(body));

  expect(logged).toEqual([]);
});

const STORE_ERROR = { error: `LockStoreError: ${storeError.message}` };

const BY_HOLDER = 'by digest 7 until 2026-01-01T00:05:00.000Z';
const SKIPS: Record<SkipReason, [level: 'info' | 'warn', words: string]> = {
  locked: ['info', `skipped, locked ${BY_HOLDER}`],
  'lock-at-least-for': ['info', `skipped, kept for lockAtLeastFor ${BY_HOLDER}`],
  'already-executed': ['info', 'skipped, this tick is done'],
  'stale-tick': ['warn', 'skipped, a newer tick is done'],
  paused: ['info', 'skipped, an operator paused it'],
  'store-unavailable': ['info', 'skipped, the store is out of reach'],
  'off-schedule': ['info', 'skipped, the schedule has no such tick'],
};
const skips = Object.entries(SKIPS).map(
  ([reason, [level, words]]) =>
    [reason, { type: 'skipped', reason: reason as SkipReason, holder }, {}, level, words] as const,
);

describe.each<readonly [string, EventBody, object, level: (typeof LEVELS)[number], words: string]>([
  ...skips,
  [
    'acquire-failed',
    { type: 'acquire-failed', error: storeError, next },
    STORE_ERROR,
    'error',
    'could not be acquired',
  ],
  [
    'acquire-failed, with a code',
    { type: 'acquire-failed', error: refused, next },
    { error: 'LockStoreError: no table (42P01)' },
    'error',
    'could not be acquired',
  ],
  ['extend-failed', { type: 'extend-failed', error: storeError }, STORE_ERROR, 'error', 'could not be extended'],
  ['release-failed', { type: 'release-failed', error: storeError }, STORE_ERROR, 'error', 'could not be released'],
  ['lost', { type: 'lost', fencingToken: 5 }, {}, 'warn', 'lost before its run ended'],
  ['missed', { type: 'missed', ticks: [at, at], others: 0 }, {}, 'warn', 'ticks missed: 2'],
  ['missed, with others', { type: 'missed', ticks: [at], others: 4 }, {}, 'warn', 'ticks missed: 5'],
  ['given-up', { type: 'given-up', ticks: [at], others: 3 }, {}, 'warn', 'ticks given up: 4'],
  ['recovered', { type: 'recovered', previous }, {}, 'warn', 'the run before crashed'],
  [
    'clock-skew',
    { type: 'clock-skew', minMs: 29_000, maxMs: 30_000 },
    {},
    'warn',
    'the clock of this host is off by 29000 to 30000 ms',
  ],
  ['clock-unverified', { type: 'clock-unverified' }, {}, 'warn', "taken over, going by this host's clock"],
  [
    'tick-unreadable',
    { type: 'tick-unreadable', value: "'soon'", scheduleArn: 'arn:aws:scheduler:x' },
    {},
    'warn',
    'the scheduled time in the event cannot be read',
  ],
])('of %s, which an operator must see', (_, body, fields, level, words) => {
  const members = { source: 'single-execution', message: `lock "digest": ${words}`, ...event(body), ...fields };

  test('writes one line of JSON at its level', () => {
    operatorLog(event(body));

    const text = JSON.stringify({ level: level.toUpperCase(), ...members });
    expect(text).not.toContain('\n');
    expect(logged).toEqual([[level, text]]);
  });

  test("hands an object over where Lambda's log format is JSON", () => {
    vi.stubEnv('AWS_LAMBDA_LOG_FORMAT', 'JSON');
    operatorLog(event(body));

    expect(logged).toEqual([[level, members]]);
  });
});

test.each<[string, unknown]>([
  ['the cause of an error', storeError],
  ['the value of a thing thrown', 'AKIA-SECRET'],
  ['the fields of an object thrown', { password: 'AKIA-SECRET' }],
  ['the fields of one', Object.assign(new CorruptLockError('digest', 'v', 'the number 5'), { request: 'AKIA-SECRET' })],
])('F89 never shows %s', (_, error) => {
  operatorLog(event({ type: 'release-failed', error }));

  expect(logged).toHaveLength(1);
  expect(String(logged[0]?.[1])).not.toContain('AKIA-SECRET');
});

test('a line end in a name does not end the line', () => {
  warn('lock "a\nb"', { value: 'c\nd' });

  expect(logged).toEqual([
    ['warn', '{"level":"WARN","source":"single-execution","message":"lock \\"a\\nb\\"","value":"c\\nd"}'],
  ]);
});

test('an error that points at itself, as clients make them, is reported by name and message', () => {
  const error = Object.assign(new Error('socket hang up'), { name: 'TimeoutError', self: {} });
  error.self = error;
  vi.stubEnv('AWS_LAMBDA_LOG_FORMAT', 'JSON');
  operatorLog(event({ type: 'acquire-failed', error, next }));

  expect(JSON.parse(JSON.stringify(logged[0]?.[1]))).toMatchObject({ error: 'TimeoutError: socket hang up' });
});

test('says the code and the host of the cause that its line points to', () => {
  const cause = { code: 'ECONNREFUSED', address: '127.0.0.1', port: 6379, message: 'AKIA-SECRET' };
  const error = new LockStoreError(storeError.message, { ...storeError, cause });
  operatorLog(event({ type: 'release-failed', fencingToken: 5, error } as never));

  const line = JSON.stringify(logged);
  expect(line).toContain('see the cause (ECONNREFUSED 127.0.0.1:6379)');
  expect(line).not.toContain('SECRET');
});
