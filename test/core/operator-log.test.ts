import { CorruptLockError, type LockEvent, LockStoreError } from 'single-execution';
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import type { EventBody } from '../../src/core/events.js';
import { operatorLog, warn } from '../../src/core/operator-log.js';

let logged: MockInstance<typeof console.error>;
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

const at = new Date('2026-01-01T00:00:00Z');
const event = (body: EventBody): LockEvent => ({ name: 'digest', at, attemptId: 'a1', tick: at, ...body });
const previous = { status: 'crashed', lockedBy: 'digest 7', lockedAt: at, fencingToken: 4 } as const;
const secret = new Error('AKIA-SECRET');
const storeError = new LockStoreError('release of lock "digest" failed: Error; see the cause', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'release',
  retryable: true,
  cause: secret,
});

test.each<EventBody>([
  { type: 'attempted' },
  { type: 'acquired', fencingToken: 5 },
  { type: 'skipped', reason: 'locked' },
  { type: 'skipped', reason: 'lock-at-least-for' },
  { type: 'skipped', reason: 'already-executed' },
  { type: 'skipped', reason: 'paused' },
  { type: 'started', fencingToken: 5 },
  { type: 'released', fencingToken: 5, heldMs: 5 },
  { type: 'finished', durationMs: 5, release: 'released' },
  { type: 'failed', durationMs: 5, release: 'released', error: secret },
])('is silent on $type, which is all in a day’s work', (body) => {
  operatorLog(event(body));

  expect(logged).not.toHaveBeenCalled();
});

test.each<[EventBody, object]>([
  [{ type: 'acquire-failed', error: storeError }, { error: `LockStoreError: ${storeError.message}` }],
  [{ type: 'skipped', reason: 'stale-tick' }, { reason: 'stale-tick' }],
  [{ type: 'lost', fencingToken: 5 }, { fencingToken: 5 }],
  [{ type: 'release-failed', error: storeError }, { error: `LockStoreError: ${storeError.message}` }],
  [{ type: 'missed', ticks: [at] }, { ticks: ['2026-01-01T00:00:00.000Z'] }],
  [{ type: 'recovered', previous }, { previous: { ...previous, lockedAt: '2026-01-01T00:00:00.000Z' } }],
  [
    { type: 'clock-skew', minMs: 29_000, maxMs: 30_000 },
    { minMs: 29_000, maxMs: 30_000 },
  ],
  [{ type: 'clock-unverified' }, {}],
  [
    { type: 'tick-unreadable', value: "'soon'", scheduleArn: 'arn:aws:scheduler:x' },
    { value: "'soon'", scheduleArn: 'arn:aws:scheduler:x' },
  ],
])('writes one JSON line on $0.type, which an operator must see', (body, fields) => {
  operatorLog(event(body));

  expect(logged).toHaveBeenCalledOnce();
  const line = String(logged.mock.calls[0]?.[0]);
  expect(line).not.toContain('\n');
  expect(JSON.parse(line)).toEqual({
    level: 'WARN',
    source: 'single-execution',
    message: `lock "digest": ${body.type}`,
    name: 'digest',
    at: '2026-01-01T00:00:00.000Z',
    attemptId: 'a1',
    tick: '2026-01-01T00:00:00.000Z',
    ...body,
    ...fields,
  });
});

test.each<[string, unknown]>([
  ['the cause of an error', storeError],
  ['the value of a thing thrown', 'AKIA-SECRET'],
  ['the fields of an object thrown', { password: 'AKIA-SECRET' }],
  [
    'the fields of an error',
    Object.assign(new CorruptLockError('digest', 'v', 'the number 5'), { request: 'AKIA-SECRET' }),
  ],
])('F89 never shows %s', (_, error) => {
  operatorLog(event({ type: 'release-failed', error }));

  expect(logged).toHaveBeenCalledOnce();
  expect(String(logged.mock.calls[0]?.[0])).not.toContain('AKIA-SECRET');
});

test('a line end in a name does not end the line', () => {
  warn('lock "a\nb"', { value: 'c\nd' });

  expect(logged.mock.calls).toEqual([
    ['{"level":"WARN","source":"single-execution","message":"lock \\"a\\nb\\"","value":"c\\nd"}'],
  ]);
});
