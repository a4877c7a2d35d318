import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdOf, isOver } from '../../../src/core/run/hold.js';
import { lease as atZero } from '../lease.js';

/** Sent at the monotonic instant 5,000. */
const lease = { ...atZero, firstSentMono: 5_000 };
const sentAt = (firstSentMono: number) => ({ firstSentMono, firstSentWall: 1_767_225_595_000 + firstSentMono });

describe('the deadline of a hold', () => {
  test('row 18: the lease counts from before the first send, less the guard', () => {
    expect(holdOf(lease).deadlineMono).toBe(64_400);
  });

  test.each<[string, number, number]>([
    ['ends the lease earlier', 64_999, 64_399],
    ['ends it at the same instant', 65_000, 64_400],
    ['would end it later', 90_000, 64_400],
    ['says that it is over already', 4_000, 3_400],
  ])("row 18: where the server's clock %s", (_, capMono, deadline) => {
    expect(holdOf(lease, capMono).deadlineMono).toBe(deadline);
  });

  test("row 18: is never after the end of the lease, nor after its end by the server's clock, less the guard", () => {
    const instant = fc.integer({ min: -1e9, max: 1e9 });
    const calls = fc.record({
      firstSentMono: instant,
      firstSentWall: instant,
      leaseMs: fc.integer({ min: 1_000, max: 86_400_000 }),
      lockUntilMs: instant,
    });
    fc.assert(
      fc.property(calls, fc.option(instant, { nil: undefined }), (call, capMono) => {
        const { deadlineMono } = holdOf(call, capMono);
        const end = call.firstSentMono + call.leaseMs;

        expect(deadlineMono).toBeLessThanOrEqual(Math.min(end, capMono ?? end) - 200);
        expect(deadlineMono).toBeLessThanOrEqual(Math.min(end, capMono ?? end) - call.leaseMs / 100);
      }),
    );
  });
});

describe('the hold after an extension', () => {
  const at = (firstSentMono: number, leaseMs: number) => {
    const firstSentWall = lease.firstSentWall + (firstSentMono - lease.firstSentMono);
    return { firstSentMono, firstSentWall, leaseMs, lockUntilMs: firstSentWall + leaseMs };
  };
  const long = holdOf(at(10_000, 300_000), undefined, holdOf(lease));

  test('row 24: ends as much later as requested, counted from before its own request was sent', () => {
    expect(long).toEqual({
      deadlineMono: 307_000,
      endMono: 310_000,
      guardMs: 3_000,
      endSent: sentAt(10_000),
      capMono: Number.POSITIVE_INFINITY,
      capSent: sentAt(10_000),
      lockUntilMs: 1_767_225_905_000,
    });
  });

  test('row 24: that is shorter does not end the lease earlier, and keeps the guard of the longer one', () => {
    const renewed = holdOf(at(30_000, 60_000), undefined, long);

    expect(renewed).toMatchObject({ endSent: sentAt(10_000), endMono: 310_000, guardMs: 3_000, deadlineMono: 307_000 });
  });

  test("row 18: is cut short by the server's clock, whatever was held before", () => {
    expect(holdOf(at(30_000, 60_000), 50_000, long).deadlineMono).toBe(47_000);
    expect(holdOf(at(40_000, 60_000), 400_000, holdOf(at(30_000, 60_000), 50_000, long)).deadlineMono).toBe(307_000);
  });

  test('row 19: F30 that is shorter does not make a host forget that it slept before', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: 300_000 }),
        fc.integer({ min: 0, max: 600_000 }),
        (leaseMs, sleptMs) => {
          // The monotonic clock stood still for so long before the second extension.
          const firstSentWall = sentAt(30_000).firstSentWall + sleptMs;
          const call = { firstSentMono: 30_000, firstSentWall, leaseMs, lockUntilMs: firstSentWall + leaseMs };
          const hold = holdOf(call, undefined, long);
          const endsByWall = Math.max(sentAt(307_000).firstSentWall, firstSentWall + leaseMs);

          expect(isOver(hold, { monotonic: 31_000, wall: endsByWall })).toBe(true);
        },
      ),
    );
  });

  test('row 19: a host that slept after it is found out by the wall clock since its own send', () => {
    const asleep = { monotonic: 11_000, wall: sentAt(10_000).firstSentWall + 297_000 };

    expect(isOver(long, asleep)).toBe(true);
    expect(isOver(long, { ...asleep, wall: asleep.wall - 1 })).toBe(false);
  });
});

describe('isOver', () => {
  const hold = holdOf(lease);
  const wallAt = (monotonic: number) => lease.firstSentWall + (monotonic - lease.firstSentMono);

  test.each([
    [64_399, false],
    [64_400, true],
    [64_401, true],
  ])('row 18: with true clocks, at %i ms: %o', (monotonic, over) => {
    expect(isOver(hold, { monotonic, wall: wallAt(monotonic) })).toBe(over);
  });

  test('row 19: a monotonic clock that stood still while the host slept is overruled by the wall clock', () => {
    expect(isOver(hold, { monotonic: 6_000, wall: wallAt(64_399) })).toBe(false);
    expect(isOver(hold, { monotonic: 6_000, wall: wallAt(64_400) })).toBe(true);
  });

  test('F29 a wall clock that stepped forward ends a run early, never late', () => {
    expect(isOver(hold, { monotonic: 6_000, wall: wallAt(6_000) + 3_600_000 })).toBe(true);
  });

  test('whatever the wall clock says, the lease is over once the monotonic clock says so', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ min: 0, noNaN: true }), (wall, late) => {
        expect(isOver(hold, { monotonic: 64_400 + late, wall })).toBe(true);
      }),
    );
  });
});
