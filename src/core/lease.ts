import type { Granted } from './lock-store.js';

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

/** The monotonic instant at which a holder must have stopped, and which of the two bounds set it. */
export interface HolderDeadline {
  readonly mono: number;
  /** `cap`: the server's clock ends the lease earlier than this host's clock would. */
  readonly setBy: 'lease' | 'cap';
}

export function holderDeadline(granted: Pick<Granted, 'lease' | 'capMono'>): HolderDeadline {
  const { lease, capMono = Number.POSITIVE_INFINITY } = granted;
  const end = lease.firstSentMono + lease.leaseMs;
  const guard = guardMs(lease.leaseMs);
  return capMono < end ? { mono: capMono - guard, setBy: 'cap' } : { mono: end - guard, setBy: 'lease' };
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
