import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type { Lease, LockStore } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import { deletedRecord, isDeleted, judgeDeletion } from '../core/record/deletion.js';
import { lockKey } from '../core/record/lock-key.js';
import { FORCE_STEP, type LockRecord } from '../core/record/lock-record.js';
import { isHeldBy, isMarkedBy, isReleasedBy, judgeRefusal } from '../core/record/refusal.js';
import { judgeListing } from '../core/record/tick-listing.js';
import {
  forcedFields,
  grantFields,
  leaseOf,
  markedLease,
  markFields,
  pausedFields,
  releaseFields,
} from '../core/record/transition.js';
import { endedAttempt } from '../core/request/attempt.js';
import { systemClock } from '../core/values/clock.js';
import { type Sent, sentNow, wallInGrant } from '../core/values/sent.js';

/** A lock store, its list of members, and its admin port over the same locks. */
export interface MemoryStore extends LockStore, MemberStore, LockAdminStore {}

/**
 * Locks in the memory of one process: for tests and local work. The same rules and the same record as every other
 * store. Its server time is the caller's clock, so an expired lock is taken at once. Does not exclude other processes,
 * and forgets everything when this one ends.
 *
 * @example
 * ```ts
 * import { executeWithLock } from 'single-execution';
 * import { memoryStore } from 'single-execution/memory';
 *
 * await executeWithLock(() => 'done', { name: 'update', store: memoryStore(), lockAtMostFor: '1m' });
 * ```
 */
export function memoryStore(): MemoryStore {
  const records: Records = new Map<string, LockRecord>();
  return { ...lockVerbs(records), ...memberVerbs(), ...adminVerbs(records) };
}

type Records = Map<string, LockRecord>;

function lockVerbs(records: Records): LockStore {
  const heldBy = (lease: Lease): LockRecord | undefined => {
    const record = records.get(lease.name);
    return record && isHeldBy(lease, record) ? record : undefined;
  };

  return {
    async acquire(claim, { clock }) {
      lockKey('', claim.name, 'acquire');
      const sent = sentNow(clock);
      const now = sent.firstSentWall;
      const old = records.get(claim.name);
      const judgement = judgeRefusal(claim, old, now, (lockUntil) => lockUntil <= now);
      if (judgement.status === 'refused') return judgement;
      if (judgement.status === 'own') return { status: 'acquired', lease: leaseOf(claim, judgement.record, sent) };
      if (old?.attemptId === claim.attemptId) throw endedAttempt(claim.name);

      const { tick: _, ...kept } = old ?? {};
      const fencingToken = (kept.fencingToken ?? now) + 1;
      const record = { ...kept, ...grantFields(claim, now, now + claim.leaseMs, old), fencingToken };
      records.set(claim.name, record);
      return { status: 'acquired', lease: leaseOf(claim, record, sent, old ?? {}) };
    },

    async extend(lease, { leaseMs }, { clock }) {
      const record = heldBy(lease);
      if (!record) return { status: 'lost' };
      const sent = sentNow(clock);
      const lockUntil = extended(record, lease, sent, leaseMs);
      records.set(lease.name, { ...record, lockUntil });
      return { status: 'extended', lockUntilMs: lockUntil, ...sent };
    },

    async mark(lease, done, { clock }) {
      const held = heldBy(lease);
      if (held?.fencingToken !== lease.fencingToken) return { status: 'lost' };
      const sent = sentNow(clock);
      const lockUntil = extended(held, lease, sent, done.leaseMs);
      const fields = markFields(lease, done, lockUntil);
      records.set(lease.name, { ...held, ...(isMarkedBy(lease, done.tickMs, held) ? { lockUntil } : fields) });
      return { status: 'marked', lease: markedLease(lease, fields), ...sent };
    },

    async release(lease, completion, { clock }) {
      const record = records.get(lease.name) ?? {};
      if (heldBy(lease)) {
        records.set(lease.name, { ...record, ...releaseFields(lease, completion, Math.round(clock.now())) });
        return 'released';
      }
      return isReleasedBy(lease, record) ? 'released' : 'lost';
    },
  };
}

/** The end of an extended lease, by either clock: a wall clock that has stepped back must not hold up the lease. */
function extended({ lockUntil = 0 }: LockRecord, lease: Lease, sent: Sent, leaseMs: number): number {
  return Math.max(lockUntil, leaseMs + Math.max(sent.firstSentWall, wallInGrant(lease, sent.firstSentMono)));
}

function memberVerbs(): MemberStore {
  const groups = new Map<string, Map<string, number>>();
  return {
    async checkIn({ group, member, forget }, { clock }) {
      const nowMs = Math.round(clock.now());
      const members = groups.get(group) ?? new Map<string, number>();
      groups.set(group, members);
      if (member !== undefined) members.set(member, nowMs);
      for (const gone of forget) members.delete(gone);
      return { nowMs, members: [...members].map(([name, checkedInMs]) => ({ name, checkedInMs })) };
    },
  };
}

function adminVerbs(records: Records): LockAdminStore {
  return {
    async list() {
      return [...records].map(([name, item]) => ({ name, item }));
    },

    async get(name) {
      lockKey('', name, 'get');
      const item = records.get(name);
      return item && { name, item };
    },

    async forceRelease(force) {
      lockKey('', force.name, 'forceRelease');
      const record = records.get(force.name);
      if (record?.attemptId === force.adminId) return 'forced';
      if (record?.state !== 'held' || record.fencingToken !== force.fencingToken) return 'changed';
      records.set(force.name, { ...record, ...forcedFields(force), fencingToken: force.fencingToken + FORCE_STEP });
      return 'forced';
    },

    async pause(name, pause) {
      lockKey('', name, 'pause');
      const item = { ...records.get(name), ...pausedFields(pause) };
      records.set(name, item);
      return { name, item };
    },

    async resume(name, { clock = systemClock }) {
      lockKey('', name, 'resume');
      const old = records.get(name);
      if (old === undefined || isDeleted(old)) return 'unknown';
      const { pausedUntil = 0, pausedBy: _, ...record } = old;
      records.set(name, record);
      return pausedUntil > clock.now() ? 'resumed' : 'not-paused';
    },

    async delete(deletion, { clock }) {
      lockKey('', deletion.name, 'delete');
      const record = records.get(deletion.name);
      const result = judgeDeletion(deletion, record, (lockUntil) => lockUntil <= clock.now());
      if (result !== 'open') return result;
      records.set(deletion.name, deletedRecord(deletion, record ?? {}));
      return 'deleted';
    },

    async listTicks(listing) {
      const { name, openTicks, failedTicks } = listing;
      lockKey('', name, 'listTicks');
      const record = records.get(name);
      const judged = judgeListing(listing, record);
      if (judged !== 'open') return judged;
      records.set(name, { ...record, openTicks, failedTicks });
      return 'listed';
    },
  };
}
