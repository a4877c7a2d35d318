import type { Hold } from '../../src/core/run/hold.js';

/** The wall clock at which the leases of these tests begin; the monotonic clock is then at 0. */
export const NOW = 1_767_225_600_000;

const sent = { firstSentMono: 0, firstSentWall: NOW };

/** A hold of a lease of a minute that must not be used from that monotonic instant on. */
export const holdUntil = (deadlineMono: number): Hold => ({
  deadlineMono,
  endMono: deadlineMono + 600,
  guardMs: 600,
  endSent: sent,
  capMono: Number.POSITIVE_INFINITY,
  capSent: sent,
  lockUntilMs: NOW + 60_000,
});
