import type { LockAdminStore, LockStore, MemberStore, StoreCall } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { newAttemptId } from '../../src/core/values/names.js';
import { storeCall } from '../support/contract-harness.js';
import { claim, done } from '../support/one-run.js';

export const NOW = 1_767_225_600_000;
export const TOKEN: number = NOW + 1;
/** The claim of every acquire, and the lease that the other verbs are asked with. */
export const ASKED = claim({ tickMs: NOW });
export const LEASE = {
  ...ASKED,
  fencingToken: TOKEN,
  lockedAtMs: NOW,
  lockUntilMs: NOW + 60_000,
  firstSentMono: 0,
  firstSentWall: NOW,
};

/** A call with a single try, which no timer ends: for a server that answers at once. */
export const oneTry = (): StoreCall => ({ ...storeCall(manualClock(NOW)), budgetMs: 0 });

const LISTING = { name: 'digest', openTicks: ',', failedTicks: ',', seen: { fencingToken: TOKEN } };

/** Every verb that is about one lock, with one call each. */
export const verbsOf = (store: LockStore & MemberStore, admin: LockAdminStore) => ({
  acquire: () => store.acquire(ASKED, oneTry()),
  extend: () => store.extend(LEASE, { leaseMs: 60_000 }, oneTry()),
  release: () => store.release(LEASE, done, oneTry()),
  checkIn: () => store.checkIn({ group: 'digest', member: 'me', forget: [] }, oneTry()),
  get: () => admin.get('digest', oneTry()),
  forceRelease: () => admin.forceRelease({ ...LEASE, adminId: newAttemptId('f'), nowMs: NOW }, oneTry()),
  pause: () => admin.pause('digest', { untilMs: NOW, by: 'me' }, oneTry()),
  resume: () => admin.resume('digest', oneTry()),
  delete: () => admin.delete({ ...LEASE, adminId: newAttemptId('d'), nowMs: NOW }, oneTry()),
  listTicks: () => admin.listTicks(LISTING, oneTry()),
});

export const settled = async (verb: () => Promise<unknown>): Promise<PromiseSettledResult<unknown>> =>
  (await Promise.allSettled([verb()]))[0];
