import { describe, expect, test } from 'vitest';
import type { LockInfo } from '../../src/admin/lock-admin.js';
import { verdictOf } from '../../src/operate/verdict.js';
import { REFUSAL_REASONS } from '../support/skip-reasons.js';

const NOW = Date.UTC(2026, 10, 20, 12);
const at = (ms: number) => new Date(NOW + ms);
const lock = (over: Partial<LockInfo>): LockInfo => ({
  name: 'job',
  state: 'free',
  failuresInARow: 0,
  runs: [],
  ...over,
});

describe('verdictOf', () => {
  type Case = [string, Partial<LockInfo> | undefined, expected: string, RegExp, tick?: Date];
  const cases: Case[] = [
    ['a name without a record', undefined, 'runs', /nothing is known of this name/],
    ['a free lock', {}, 'runs', /the lock is free/],
    ['a lock freed by force', { state: 'forced' }, 'runs', /an operator has ended the last run/],
    ['a crash', { state: 'expired', lockedBy: 'web-1' }, 'runs', /lease of web-1 is over, .*takes/],
    ['a holder', { state: 'held', lockUntil: at(50_000) }, 'locked', /until 2026-11-20T12:00:50Z, for 50s/],
    ['a kept lock', { state: 'waiting', lockUntil: at(1_000) }, 'lock-at-least-for', /keeps the lock/],
    [
      'lockAtLeastFor, and a tick that came too soon',
      { state: 'waiting', lockUntil: at(1_000), lastResult: 'succeeded', lockedAt: at(-2), tick: at(-9) },
      'lock-at-least-for',
      /keeps the lock/,
      at(-1),
    ],
    [
      'row 162: lockAtLeastFor, and a tick that was due before',
      { state: 'waiting', lockUntil: at(1_000), lastResult: 'succeeded', lockedAt: at(-2), tick: at(-9) },
      'runs',
      /keeps the lock .*, but this tick passes/,
      at(-2),
    ],
    [
      'row 162: lockAtLeastFor, and a tick that is open',
      { state: 'waiting', lastResult: 'succeeded', lockedAt: at(-2), tick: at(-9), openTicks: [at(-1)] },
      'runs',
      /this tick passes/,
      at(-1),
    ],
    [
      'row 163: lockAtLeastFor of a run without a tick',
      { state: 'waiting', lastResult: 'succeeded', lockedAt: at(-2) },
      'runs',
      /that run had no tick/,
      at(0),
    ],
    [
      'row 164: the hold of a failed run',
      { state: 'waiting', lastResult: 'failed', lockedAt: at(-2), openTicks: [at(-3)] },
      'lock-at-least-for',
      /keeps the lock/,
      at(-3),
    ],
    ['the tick that is done', { doneTick: at(0) }, 'already-executed', /this tick is done/, at(0)],
    ['an older tick', { doneTick: at(0) }, 'stale-tick', /backfill/, at(-1)],
    ['an older tick that is open', { doneTick: at(0), openTicks: [at(-1)] }, 'runs', /the lock is free/, at(-1)],
    ['row 225: a call now, after a done tick', { doneTick: at(0) }, 'runs', /free\. A call for .*Z would be skipped/],
    ['a newer tick', { doneTick: at(0) }, 'runs', /the lock is free/, at(1)],
    ['a done tick under a holder', { state: 'held', doneTick: at(0) }, 'already-executed', /done/, at(0)],
    [
      'a pause over all',
      { state: 'paused', underlyingState: 'held', doneTick: at(0), paused: { by: 'ada', until: at(60_000) } },
      'paused',
      /by ada until 2026-11-20T12:01:00Z; end that with: single-execution resume job/,
      at(0),
    ],
    ['corrupt', { state: 'corrupt', problem: 'record is corrupt' }, 'fails', /would fail: record/],
  ];

  test('gives every reason of a store', () => {
    const given = cases.map(([, , expected]) => expected);

    expect([...new Set(given)].sort()).toEqual([...REFUSAL_REASONS, 'fails', 'runs'].sort());
  });

  test.each<Case>(cases)('%s', (_, seen, expected, words, tick) => {
    const { outcome, reason, sentence } = verdictOf('job', seen && lock(seen), NOW, tick);

    expect(reason ?? outcome).toBe(expected);
    expect(sentence).toMatch(words);
  });
});
