import { type ExecuteOptions, executeWithLock, type Outcome } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { rate } from 'single-execution/schedule';
import { describe, expect, test } from 'vitest';
import { MINUTE, memoryLocks, NOW } from '../../support/memory-locks.js';

/* What `lockAtLeastFor` does to ticks that come soon after a run. Every test calls through the engine. */

const EVERY_MINUTE = rate(MINUTE, { start: new Date(0) });
const minutes = (...numbers: readonly number[]) => numbers.map((minute) => NOW + minute * MINUTE);

function heldLocks(more: Partial<ExecuteOptions> = {}) {
  const { clock, options } = memoryLocks();
  const asked = { ...options, lockAtLeastFor: '5m', lockAtMostFor: '10m', ...more };
  const call = (tick?: number, task: () => unknown = () => 'ran') =>
    executeWithLock(task, { ...asked, ...(tick !== undefined && { tick }) }).then(
      endOf,
      (error: Error) => error.message,
    );
  const admin = lockAdmin(options.store, { clock });
  return { clock, call, admin, name: options.name };
}

const endOf = (outcome: Outcome<unknown>) => (outcome.status === 'skipped' ? outcome.reason : outcome.value);
const fails = () => {
  throw new Error('no database');
};

describe('after an outage', () => {
  test('F160 row 162: each of three ticks that were backfilled runs, although all calls come at once', async () => {
    const { clock, call, admin, name } = heldLocks();
    await call(NOW);
    await clock.advance(60 * MINUTE);
    await call(NOW + 60 * MINUTE);
    const [from, to] = minutes(10, 13);
    await admin.backfill(name, { from: Number(from), to: Number(to), schedule: EVERY_MINUTE });

    for (const tick of minutes(10, 11, 12)) expect(await call(tick)).toBe('ran');
    for (const tick of minutes(10, 11, 12)) expect(await call(tick)).toBe('stale-tick');
  });

  test('F160 row 162: a tick that the operator lists while the lock is kept runs at once', async () => {
    const { clock, call, admin, name } = heldLocks();
    await call(NOW);
    await clock.advance(2 * MINUTE);
    const [soon = 0, next] = minutes(1, 2);
    expect(await call(soon)).toBe('lock-at-least-for');

    await admin.backfill(name, { from: soon, to: Number(next), schedule: EVERY_MINUTE });

    expect(await call(soon)).toBe('ran');
  });

  test('row 162: late deliveries of several ticks run one after the other, also with tickMark start', async () => {
    for (const tickMark of ['success', 'start'] as const) {
      const { clock, call } = heldLocks({ tickMark });
      await clock.advance(10 * MINUTE);

      for (const tick of minutes(7, 8, 9)) expect(await call(tick)).toBe('ran');
    }
  });

  test('row 4: a tick that is due after the run began is kept out until the time is over', async () => {
    const { clock, call } = heldLocks();
    await call(NOW);
    const [next] = minutes(1);
    await clock.advance(MINUTE);
    expect(await call(next)).toBe('lock-at-least-for');
    await clock.advance(4 * MINUTE);

    expect(await call(next)).toBe('ran');
  });
});

describe('a run without a tick', () => {
  test('F161 row 163: does not swallow the scheduled tick that follows, and keeps out the next ping', async () => {
    const { clock, call } = heldLocks();
    await call();
    await clock.advance(MINUTE);

    expect(await call()).toBe('lock-at-least-for');
    expect(await call(NOW + MINUTE)).toBe('ran');
    expect(await call()).toBe('lock-at-least-for');
  });

  test('row 163: does not let the tick of the run before it pass for its own', async () => {
    const { clock, call } = heldLocks();
    await call(NOW);
    await clock.advance(6 * MINUTE);
    expect(await call()).toBe('ran');

    expect(await call(NOW + 7 * MINUTE)).toBe('ran');
  });
});

describe("onError: 'hold'", () => {
  test('row 164: keeps out every call after a failure: the tick itself, an older one, a listed one, none', async () => {
    const { clock, call, admin, name } = heldLocks({ onError: 'hold' });
    await call(NOW);
    await clock.advance(60 * MINUTE);
    const [tick, next] = minutes(30, 31);
    await admin.backfill(name, { from: Number(tick), to: Number(next), schedule: EVERY_MINUTE });
    expect(await call(NOW + 40 * MINUTE, fails)).toBe('no database');

    for (const other of [...minutes(29, 30, 40, 60), undefined]) expect(await call(other)).toBe('lock-at-least-for');
    await clock.advance(5 * MINUTE);
    expect(await call(tick)).toBe('ran');
  });

  test('row 164: and after a failed run without a tick', async () => {
    const { call } = heldLocks({ onError: 'hold' });
    await call(undefined, fails);

    for (const tick of [NOW - MINUTE, NOW + MINUTE, undefined]) expect(await call(tick)).toBe('lock-at-least-for');
  });
});

test('a run that passed ends the time of the run before it: after its failure the lock is free', async () => {
  const { clock, call } = heldLocks();
  await clock.advance(10 * MINUTE);
  await call(NOW);
  expect(await call(NOW + MINUTE, fails)).toBe('no database');

  expect(await call()).toBe('ran');
});
