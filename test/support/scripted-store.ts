import type { Claim, Granted, LockStore, StoreCall } from 'single-execution';

/** A store that grants and releases every claim, except for the verbs that a test replaces. */
export function scriptedStore(verbs: Partial<LockStore> = {}): LockStore {
  return {
    acquire: async (claim, call) => grantOf(claim, call),
    extend: async () => ({ status: 'lost' }),
    mark: async () => ({ status: 'lost' }),
    release: async () => 'released',
    ...verbs,
  };
}

/** A grant with token 7, sent and answered at this instant. */
export function grantOf(claim: Claim, { clock }: StoreCall): Granted {
  return {
    status: 'acquired',
    lease: {
      name: claim.name,
      attemptId: claim.attemptId,
      fencingToken: 7,
      leaseMs: claim.leaseMs,
      lockedAtMs: clock.now(),
      lockUntilMs: clock.now() + claim.leaseMs,
      firstSentMono: clock.monotonic(),
      firstSentWall: clock.now(),
      ...(claim.tickMs !== undefined && { tickMs: claim.tickMs }),
    },
  };
}
