import { expect, test } from 'vitest';
import type { LockInfo, RunInfo } from '../../src/admin/lock-admin.js';
import { lockFacts } from '../../src/operate/lock-summary.js';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute));
const NOW = at(10).getTime();
const succeeded: RunInfo = { status: 'succeeded', tick: at(0), lockedAt: at(0), durationMs: 60_000, fencingToken: 1 };
const failed: RunInfo = { ...succeeded, status: 'failed' };
const forced: RunInfo = { status: 'forced', tick: at(5), lockedAt: at(5), durationMs: 240_000, fencingToken: 2 };

function factsOf(over: Partial<LockInfo>): Record<string, string> {
  const lock = { name: 'job', state: 'free', lockedBy: 'web-1', failuresInARow: 0, runs: [], ...over } as const;
  return Object.fromEntries(lockFacts(lock, NOW));
}

test('row 49: a run that has the lock is shown by its tick, apart from the last result and its tick', () => {
  expect(factsOf({ state: 'held', tick: at(5), runs: [succeeded], lastResult: 'succeeded' })).toMatchObject({
    holder: 'web-1',
    tick: '2026-11-20T12:05:00Z',
    'last result': 'succeeded at 2026-11-20T12:01:00Z, 9m ago (tick 2026-11-20T12:00:00Z)',
  });
});

test('row 49: after a force release the last result is that of the run that was ended by it', () => {
  const facts = factsOf({
    state: 'forced',
    tick: at(5),
    runs: [forced, failed],
    lastResult: 'failed',
    lastError: 'RangeError',
    lastReleasedAt: at(1),
    openTicks: [at(5)],
  });

  expect(facts).toMatchObject({
    'last holder': 'web-1',
    'last tick': '2026-11-20T12:05:00Z',
    'last result': 'forced at 2026-11-20T12:09:00Z, 1m ago (tick 2026-11-20T12:05:00Z)',
    'open ticks': '2026-11-20T12:05:00Z',
  });
  expect(facts).not.toHaveProperty('last error');
  expect(facts).not.toHaveProperty('of them missed');
});

test('row 49: a run without a tick is shown by its token, and an end that is unknown is left out', () => {
  const { tick: _, durationMs: __, ...crashed } = { ...forced, status: 'crashed' } as const;

  expect(factsOf({ runs: [crashed] })['last result']).toBe('crashed (token 2)');
});

test('the error is shown with the run that failed', () => {
  expect(factsOf({ runs: [failed], lastResult: 'failed', lastError: 'RangeError' })['last error']).toBe('RangeError');
});
