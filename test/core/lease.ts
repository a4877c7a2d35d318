import type { Claim, Lease } from 'single-execution';

/** 2026-01-01T00:00:00Z, which is `mjuohs00` in base 36. */
export const GRANTED_AT = 1_767_225_600_000;

/** A claim of lock `digest` for a minute, without a tick. */
export const claim: Claim = {
  name: 'digest',
  attemptId: 'a1',
  leaseMs: 60_000,
  lockedBy: 'me',
  markTickAtStart: false,
};

/** The lease of that claim, granted at {@link GRANTED_AT}, when the monotonic clock is at 0. */
export const lease: Lease = {
  name: 'digest',
  attemptId: 'a1',
  fencingToken: 25,
  leaseMs: 60_000,
  lockedAtMs: GRANTED_AT,
  lockUntilMs: GRANTED_AT + 60_000,
  firstSentMono: 0,
  firstSentWall: GRANTED_AT,
};
