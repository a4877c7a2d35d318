import fc from 'fast-check';
import { LEASE_MS, TICK_MS } from '../../src/testing/contract/stage/scene.js';

/** One step of a sequence. It names leases by their place, so that every part of a sequence is a sequence too. */
export type Operation = { readonly on: 'a' | 'b' } & (
  | {
      readonly verb: 'acquire';
      readonly tickMs: number | undefined;
      readonly markTickAtStart: boolean;
      /** The lease is short, and over before the next step. */
      readonly dies: boolean;
    }
  | { readonly verb: 'extend'; readonly back: number; readonly leaseMs: number }
  | { readonly verb: 'replay'; readonly back: number }
  | {
      readonly verb: 'mark';
      readonly back: number;
      readonly tickMs: number;
      readonly givenUpTicksMs: readonly number[];
      readonly keepTicks: number;
    }
  | {
      readonly verb: 'release';
      readonly back: number;
      readonly result: 'succeeded' | 'failed';
      readonly holds: boolean;
      readonly markTickDone: boolean;
      readonly markTickFailed: boolean;
      readonly missedTicksMs: readonly number[];
      readonly givenUpTicksMs: readonly number[];
      readonly failedTickMs: number | undefined;
    }
  | { readonly verb: 'force'; readonly back: number; readonly wrongToken: boolean }
  | { readonly verb: 'pause'; readonly over: boolean }
  | { readonly verb: 'resume' }
  | { readonly verb: 'delete'; readonly wrongToken: boolean }
  | {
      readonly verb: 'list';
      readonly openTicksMs: readonly number[];
      readonly failedTicksMs: readonly number[];
      /** How the operator has seen the record. */
      readonly seen: 'as it is' | 'with another token' | 'with other lists';
    }
);

/**
 * Redis keeps the last ten rows, the others the rows of the last ten tokens: the same, as long as no row is
 * overwritten. That takes a first run and ten more grants and a release.
 */
const MOST_OPERATIONS = 12;

const TICKS = [0, 1, 2, 3].map((minute) => TICK_MS + minute * 60_000);

const on = fc.constantFrom('a', 'a', 'a', 'b');
/** How many grants ago: mostly the newest. */
const back = fc.constantFrom(0, 0, 0, 0, 1, 2);
const givenUpTicksMs = fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.subarray(TICKS));
const seldom = fc.constantFrom(false, false, false, false, false, true);

const acquire = fc.record({
  verb: fc.constant('acquire' as const),
  on,
  tickMs: fc.constantFrom(undefined, ...TICKS),
  markTickAtStart: seldom,
  dies: fc.constantFrom(false, false, true),
});

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: acquire },
  {
    weight: 7,
    arbitrary: fc.record({
      verb: fc.constant('release'),
      on,
      back,
      result: fc.constantFrom('succeeded', 'succeeded', 'failed'),
      // A hold lasts longer than the sequence.
      holds: seldom,
      markTickDone: fc.constantFrom(true, true, false),
      markTickFailed: fc.constantFrom(true, true, false),
      missedTicksMs: fc.oneof(fc.constant([]), fc.subarray(TICKS)),
      givenUpTicksMs,
      failedTickMs: fc.constantFrom(undefined, undefined, ...TICKS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ verb: fc.constant('extend'), on, back, leaseMs: fc.constantFrom(LEASE_MS, 3 * LEASE_MS) }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('replay'), on, back }) },
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant('mark'),
      on,
      back,
      tickMs: fc.constantFrom(...TICKS),
      givenUpTicksMs,
      keepTicks: fc.constantFrom(1, 8, 100),
    }),
  },
  { weight: 2, arbitrary: fc.record({ verb: fc.constant('force'), on, back, wrongToken: seldom }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('pause'), on, over: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('resume'), on }) },
  { weight: 1, arbitrary: fc.record({ verb: fc.constant('delete'), on, wrongToken: seldom }) },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant('list'),
      on,
      openTicksMs: fc.subarray(TICKS),
      failedTicksMs: fc.subarray(TICKS),
      seen: fc.constantFrom('as it is', 'as it is', 'as it is', 'with another token', 'with other lists'),
    }),
  },
);

/** Begins with an acquire, since most others ask for a lease: one without is not asked. */
export const sequence: fc.Arbitrary<Operation[]> = fc
  .tuple(acquire, fc.array(operation, { maxLength: MOST_OPERATIONS - 1, size: 'max' }))
  .map(([first, others]) => [first, ...others]);
