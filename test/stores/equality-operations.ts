import fc from 'fast-check';
import { LEASE_MS } from '../../src/testing/contract/stage/scene.js';

/**
 * The longest sequence. Redis keeps the last ten rows, the other stores the rows of the last ten tokens. These are the
 * same rows while no row is overwritten, which takes more than 12 operations.
 */
const MOST_OPERATIONS = 12;

/** Two ticks that were due before every run, and two that are due after every run, by the clocks of all stores. */
export const OLD_TICKS = [0, 1].map((minute) => Date.UTC(2020, 0, 1, 0, minute)) as [number, number];
const TICKS = [...OLD_TICKS, ...[0, 1].map((minute) => Date.UTC(2031, 0, 1, 0, minute))];

const on = fc.constantFrom(...(['a', 'a', 'a', 'b'] as const));
/** How many grants before the newest. Mostly 0, the newest grant. */
const back = fc.constantFrom(0, 0, 0, 0, 1, 2);
const givenUpTicksMs = fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.subarray(TICKS));
const seldom = fc.constantFrom(false, false, false, false, false, true);

const acquire = fc.record({
  verb: fc.constant('acquire' as const),
  on,
  /** `now`: a run by hand. */
  tickMs: fc.constantFrom(undefined, 'now' as const, ...TICKS),
  markTickAtStart: seldom,
  /** The lease is short, and over before the next step. */
  dies: fc.constantFrom(false, false, true),
});
const release = fc.record({
  verb: fc.constant('release' as const),
  on,
  back,
  result: fc.constantFrom('succeeded' as const, 'succeeded' as const, 'failed' as const),
  // A hold (lockAtLeastFor) lasts longer than the whole sequence.
  holds: fc.constantFrom(false, false, true),
  markTickDone: fc.constantFrom(true, true, false),
  markTickFailed: fc.constantFrom(true, true, false),
  missedTicksMs: fc.oneof(fc.constant([]), fc.subarray(TICKS)),
  givenUpTicksMs,
  failedTickMs: fc.constantFrom(undefined, undefined, ...TICKS),
});
const extend = fc.record({
  verb: fc.constant('extend' as const),
  on,
  back,
  leaseMs: fc.constantFrom(LEASE_MS, 3 * LEASE_MS),
});
const replay = fc.record({ verb: fc.constant('replay' as const), on, back });
const mark = fc.record({
  verb: fc.constant('mark' as const),
  on,
  back,
  tickMs: fc.constantFrom(...TICKS),
  givenUpTicksMs,
  keepTicks: fc.constantFrom(1, 8, 100),
});
const force = fc.record({ verb: fc.constant('force' as const), on, back, wrongToken: seldom });
const pause = fc.record({ verb: fc.constant('pause' as const), on, over: fc.boolean() });
const resume = fc.record({ verb: fc.constant('resume' as const), on });
const remove = fc.record({ verb: fc.constant('delete' as const), on, wrongToken: seldom });
const list = fc.record({
  verb: fc.constant('list' as const),
  on,
  openTicksMs: fc.subarray(TICKS),
  failedTicksMs: fc.subarray(TICKS),
  /** The record that the operator has seen: the current one, or one that has changed since. */
  seen: fc.constantFrom(...(['as it is', 'as it is', 'as it is', 'with another token', 'with other lists'] as const)),
});

const operation = fc.oneof(
  { weight: 8, arbitrary: acquire },
  { weight: 7, arbitrary: release },
  { weight: 2, arbitrary: extend },
  { weight: 2, arbitrary: replay },
  { weight: 4, arbitrary: mark },
  { weight: 2, arbitrary: force },
  { weight: 1, arbitrary: pause },
  { weight: 1, arbitrary: resume },
  { weight: 1, arbitrary: remove },
  { weight: 2, arbitrary: list },
);

/** One step of a sequence. It names a lease by its place among the grants, so that steps can be left out. */
export type Operation = typeof operation extends fc.Arbitrary<infer O> ? O : never;

/** A sequence begins with an acquire, because most other operations need a lease and are not sent without one. */
export const sequence: fc.Arbitrary<Operation[]> = fc
  .tuple(acquire, fc.array(operation, { maxLength: MOST_OPERATIONS - 1, size: 'max' }))
  .map(([first, others]) => [first, ...others]);
