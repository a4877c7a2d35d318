import type { Outcome, Skipped } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test, vi } from 'vitest';
import { resolveWrapper, type WrapperOptions } from '../../../src/core/wrap/wrapper.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
type Given = readonly unknown[];

const wrapper = (options: Partial<WrapperOptions<Given>> = {}, ownOptions: readonly string[] = []) =>
  resolveWrapper<Given>(() => {}, { name: 'digest', clock: manualClock(NOW), ...options }, { ownOptions });

const skipped: Skipped = { status: 'skipped', name: 'digest', reason: 'locked' };
const executed = (value: unknown): Outcome<unknown> => ({
  status: 'executed',
  name: 'digest',
  value,
  fencingToken: 1,
  release: 'released',
  lockedAt: new Date(NOW),
  durationMs: 5,
  missedTicks: [],
  caughtUp: [],
});

describe('row 14: an invalid option is refused when wrapping', () => {
  test.each<[unknown, string]>([
    [undefined, 'handler is undefined: pass the function to wrap'],
    ['digest', "handler is 'digest': pass the function to wrap"],
    [{ fetch() {} }, 'handler is an object: pass the function to wrap'],
  ])('a handler that is %o', (handler, message) => {
    expect(() => resolveWrapper(handler, { name: 'digest' }, { ownOptions: [] })).toThrow(new TypeError(message));
  });

  test.each<[object, Error]>([
    [{ name: 5 }, new TypeError('name is 5: pass a string')],
    [{ onSkipped: null }, new TypeError("onSkipped is null: choose 'return' or 'throw'")],
  ])('%o', (options, error) => {
    expect(() => wrapper(options)).toThrow(error);
  });

  test("an option that is neither a wrapper's nor the adapter's own", () => {
    expect(() => wrapper({ secret: 'abc' } as object)).toThrow("unknown option 'secret': the options are name, tick,");
    expect(() => wrapper({ secret: 'abc' } as object, ['secret'])).not.toThrow();
    expect(() => wrapper({ secrets: 'abc' } as object, ['secret'])).toThrow(
      "unknown option 'secrets': the options are name, tick, onSkipped, secret, store,",
    );
  });
});

// The contract of adapters says what else a caller gets, and whose name a call has.
test('row 45: the value of a handler that ran is given back, whatever is done with skips', () => {
  const value = { status: 'skipped', name: 'digest', reason: 'locked' };
  const onSkipped = vi.fn();

  for (const choice of ['return', 'throw', onSkipped] as const) {
    expect(wrapper({ onSkipped: choice }).reply(executed(value))).toBe(value);
  }
  expect(wrapper().reply(executed(undefined))).toBeUndefined();
  expect(onSkipped).not.toHaveBeenCalled();
});

test('row 45: the result of a function of the skip is given back, even if that is undefined', () => {
  expect(wrapper({ onSkipped: () => undefined }).reply(skipped)).toBeUndefined();
});

test('row 69: each wrapper has settings of its own, complete and with no store', () => {
  const [first, second] = [wrapper({ lockAtMostFor: '1m' }), wrapper({ lockAtMostFor: '5m' })];

  expect(first.settings).toMatchObject({ lockAtMostForMs: 60_000, tickMark: 'success' });
  expect(second.settings).toMatchObject({ lockAtMostForMs: 300_000 });
  expect(first.settings).not.toHaveProperty('store');
});
