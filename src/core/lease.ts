/*
 * How long a grant may be used, counted so that the holder stops before anybody else can start (docs/protocol.md,
 * "The holder's deadline"). Pure arithmetic on instants that the caller has read.
 */

/** Wall time inside a grant: anchored to the wall clock of the first send, carried on by the monotonic clock. */
export function wallInGrant(
  lease: { readonly firstSentWall: number; readonly firstSentMono: number },
  monotonic: number,
): number {
  return Math.round(lease.firstSentWall + (monotonic - lease.firstSentMono));
}

/** Time kept in hand before the lease ends: the larger of 200 ms and 1 % of the lease. */
export function guardMs(leaseMs: number): number {
  return Math.max(200, leaseMs / 100);
}

/**
 * The monotonic instant at which a holder must have stopped.
 *
 * @param capMono how far the server's clock vouches for the lease; without it, this host's clock alone counts
 */
export function holderDeadline(
  lease: { readonly firstSentMono: number; readonly leaseMs: number },
  capMono: number = Number.POSITIVE_INFINITY,
): number {
  return Math.min(lease.firstSentMono + lease.leaseMs, capMono) - guardMs(lease.leaseMs);
}

/**
 * Whether a deadline has passed, by whichever clock says so first. A monotonic clock may have stood still while the
 * host was suspended; the wall clock then shows it. A wall clock that stepped forward only ends a run early.
 */
export function isOver(
  deadlineMono: number,
  lease: { readonly firstSentWall: number; readonly firstSentMono: number },
  now: { readonly monotonic: number; readonly wall: number },
): boolean {
  return now.monotonic >= deadlineMono || now.wall - lease.firstSentWall >= deadlineMono - lease.firstSentMono;
}
