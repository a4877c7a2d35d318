import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guardMs, LONGEST_LEASE_MS, leaseForRun } from '../../../src/core/values/lease.js';

test.each([
  [1_000, 200],
  [20_000, 200],
  [60_000, 600],
  [86_400_000, 864_000],
])('the guard of a lease of %i ms is %i ms', (leaseMs, guard) => {
  expect(guardMs(leaseMs)).toBe(guard);
});

test('the lease for a run is the shortest that leaves the run its whole time before the guard', () => {
  const usableMs = (leaseMs: number) => leaseMs - guardMs(leaseMs);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: LONGEST_LEASE_MS }), (runMs) => {
      const leaseMs = leaseForRun(runMs);

      expect(usableMs(leaseMs)).toBeCloseTo(runMs, 3);
      expect(usableMs(leaseMs - 1)).toBeLessThan(runMs);
    }),
  );
});
