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

/** Both clocks just before a call was first sent. */
interface Sent {
  readonly firstSentMono: number;
  readonly firstSentWall: number;
}

/** How long a grant may be used, by its latest confirmed call. Readonly; an extension makes a new one. */
export interface Hold extends Sent {
  /** The monotonic instant at which the holder must have stopped. */
  readonly deadlineMono: number;
  /** The greatest (first send + duration asked) over the confirmed calls of this grant, and its guard. */
  readonly endMono: number;
  readonly guardMs: number;
  readonly lockUntilMs: number;
}

/** What a confirmed acquire or extend says. */
export interface Confirmed extends Sent {
  readonly leaseMs: number;
  readonly lockUntilMs: number;
}

/**
 * The hold after a confirmed call.
 *
 * @param capMono how far the server's clock vouches for the lease; without it, this host's clock alone counts
 * @param before the hold so far: an extension never ends a lease earlier, only the server's clock can
 */
export function holdOf(call: Confirmed, capMono: number = Number.POSITIVE_INFINITY, before?: Hold): Hold {
  const { firstSentMono, firstSentWall, leaseMs, lockUntilMs } = call;
  const asked = { endMono: firstSentMono + leaseMs, guardMs: guardMs(leaseMs) };
  const longest = before && before.endMono > asked.endMono ? before : asked;
  return {
    firstSentMono,
    firstSentWall,
    endMono: longest.endMono,
    guardMs: longest.guardMs,
    deadlineMono: Math.min(longest.endMono, capMono) - longest.guardMs,
    lockUntilMs,
  };
}

/**
 * Whether a hold is over, by whichever clock says so first. A monotonic clock may have stood still while the host was
 * suspended; the wall clock then shows it. A wall clock that stepped forward only ends a run early.
 */
export function isOver(hold: Hold, now: { readonly monotonic: number; readonly wall: number }): boolean {
  const { deadlineMono, firstSentMono, firstSentWall } = hold;
  return now.monotonic >= deadlineMono || now.wall - firstSentWall >= deadlineMono - firstSentMono;
}
