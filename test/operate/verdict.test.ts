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
  const cases: readonly [string, LockInfo | undefined, Date | undefined, string, RegExp][] = [
    ['a name without a record', undefined, undefined, 'runs', /nothing is known of this name/],
    ['a free lock', lock({}), undefined, 'runs', /the lock is free/],
    ['a lock freed by force', lock({ state: 'forced' }), undefined, 'runs', /an operator has ended the last run/],
    ['a crash', lock({ state: 'expired', lockedBy: 'web-1' }), undefined, 'runs', /lease of web-1 is over, .*takes/],
    [
      'a holder',
      lock({ state: 'held', lockUntil: at(50_000) }),
      undefined,
      'locked',
      /until 2026-11-20T12:00:50Z, for 50s/,
    ],
    ['a kept lock', lock({ state: 'waiting', lockUntil: at(1_000) }), undefined, 'lock-at-least-for', /keeps the lock/],
    [
      'lockAtLeastFor, and a tick that came too soon',
      lock({ state: 'waiting', lockUntil: at(1_000), lastResult: 'succeeded', lockedAt: at(-2), tick: at(-9) }),
      at(-1),
      'lock-at-least-for',
      /keeps the lock/,
    ],
    [
      'row 162: lockAtLeastFor, and a tick that was due before',
      lock({ state: 'waiting', lockUntil: at(1_000), lastResult: 'succeeded', lockedAt: at(-2), tick: at(-9) }),
      at(-2),
      'runs',
      /keeps the lock .*, but this tick passes/,
    ],
    [
      'row 162: lockAtLeastFor, and a tick that is open',
      lock({ state: 'waiting', lastResult: 'succeeded', lockedAt: at(-2), tick: at(-9), openTicks: [at(-1)] }),
      at(-1),
      'runs',
      /this tick passes/,
    ],
    [
      'row 163: lockAtLeastFor of a run without a tick',
      lock({ state: 'waiting', lastResult: 'succeeded', lockedAt: at(-2) }),
      at(0),
      'runs',
      /that run had no tick/,
    ],
    [
      'row 164: the hold of a failed run',
      lock({ state: 'waiting', lastResult: 'failed', lockedAt: at(-2), openTicks: [at(-3)] }),
      at(-3),
      'lock-at-least-for',
      /keeps the lock/,
    ],
    ['the tick that is done', lock({ doneTick: at(0) }), at(0), 'already-executed', /this tick is done/],
    ['an older tick', lock({ doneTick: at(0) }), at(-1), 'stale-tick', /backfill/],
    ['an older tick that is open', lock({ doneTick: at(0), openTicks: [at(-1)] }), at(-1), 'runs', /the lock is free/],
    [
      'row 225: a call now, after a done tick',
      lock({ doneTick: at(0) }),
      undefined,
      'runs',
      /free\. A call for .*Z would be skipped/,
    ],
    ['a newer tick', lock({ doneTick: at(0) }), at(1), 'runs', /the lock is free/],
    ['a done tick under a holder', lock({ state: 'held', doneTick: at(0) }), at(0), 'already-executed', /done/],
    [
      'a pause over all',
      lock({ state: 'paused', underlyingState: 'held', doneTick: at(0), paused: { by: 'ada', until: at(60_000) } }),
      at(0),
      'paused',
      /by ada until 2026-11-20T12:01:00Z; end that with: single-execution resume job/,
    ],
    ['corrupt', lock({ state: 'corrupt', problem: 'record is corrupt' }), undefined, 'fails', /would fail: record/],
  ];

  test('gives every reason of a store', () => {
    const given = cases.map(([, , , expected]) => expected);

    expect([...new Set(given)].sort()).toEqual([...REFUSAL_REASONS, 'fails', 'runs'].sort());
  });

  test.each(cases)('%s', (_, seen, tick, expected, words) => {
    const { outcome, reason, sentence } = verdictOf('job', seen, NOW, tick);

    expect(reason ?? outcome).toBe(expected);
    expect(sentence).toMatch(words);
  });
});
