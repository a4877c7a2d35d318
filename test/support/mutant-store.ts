import type { Claim, Clock, Completion, Lease, LockAdminStore, LockStore } from 'single-execution';
import type {
  DeleteResult,
  Deletion,
  ForceRelease,
  Pause,
  ResumeResult,
} from '../../src/core/ports/lock-admin-store.js';
import { deletedRecord, isDeleted, judgeDeletion } from '../../src/core/record/deletion.js';
import { lockKey } from '../../src/core/record/lock-key.js';
import type { LockRecord } from '../../src/core/record/lock-record.js';
import { type Judgement, judgeRefusal } from '../../src/core/record/refusal.js';
import { hasRun } from '../../src/core/record/run-ring.js';
import { forcedFields, grantFields, leaseOf, pausedFields, releaseFields } from '../../src/core/record/transition.js';
import { type Sent, sentNow } from '../../src/core/values/sent.js';

type Records = Map<string, LockRecord>;

/** The rules of a store in memory, each in a place of its own, so that a mutant can break one of them. */
export interface Rules {
  /** Under which name a lock is kept. */
  key(name: string): string;
  judge(claim: Claim, record: LockRecord | undefined, now: number): Judgement;
  /** The record that a grant leaves. */
  grant(claim: Claim, old: LockRecord, now: number): LockRecord;
  /** The instants that a grant or an extension says it was sent at. */
  sent(clock: Clock): Sent;
  /** The lease as the holder gets it. */
  lease(lease: Lease): Lease;
  /** Called between judging and writing: a store that reads first has a gap there. */
  gap?(): Promise<void>;
  /** Called between writing and answering: a store that heeds its caller's signal may give up there. */
  answer?(signal: AbortSignal): Promise<void>;
  mayExtend(record: LockRecord | undefined, lease: Lease, now: number): boolean;
  mayRelease(record: LockRecord | undefined, lease: Lease, now: number): boolean;
  /** Whether an attempt that has ended is refused for good. */
  endsAttempts: boolean;
  checkName(name: string): void;
  lockUntilOf(record: LockRecord, now: number, leaseMs: number): number;
  /** The record that an extension leaves. */
  extended(record: LockRecord, before: LockRecord): LockRecord;
  /** What an extend or a release that is lost leaves, if anything. */
  lost(record: LockRecord | undefined, lease: Lease, now: number): LockRecord | undefined;
  release(record: LockRecord, lease: Lease, completion: Completion, now: number): LockRecord | undefined;
  isReleased(record: LockRecord, lease: Lease): boolean;
  /** Whether an operator's force release applies. */
  mayForce(record: LockRecord | undefined, token: number): boolean;
  isForced(record: LockRecord | undefined, adminId: string): boolean;
  /** The record that a force release leaves. */
  forced(record: LockRecord | undefined, force: ForceRelease): LockRecord;
  /** What operators are shown. */
  shown(record: LockRecord | undefined): LockRecord | undefined;
  paused(record: LockRecord | undefined, pause: Pause): LockRecord;
  resumed(record: LockRecord): LockRecord;
  /** What a resume is told. */
  resumeOf(record: LockRecord | undefined, now: number): ResumeResult;
  judgeDeletion(deletion: Deletion, record: LockRecord | undefined, now: number): DeleteResult | 'open';
  /** The record that a delete leaves, if any. */
  deleted(record: LockRecord, deletion: Deletion): LockRecord | undefined;
}

export const SOUND: Rules = {
  key: (name) => name,
  judge: (claim, record, now) => judgeRefusal(claim, record, now, (lockUntil) => lockUntil <= now),
  grant(claim, { tick: _, ...kept }, now) {
    const fencingToken = (kept.fencingToken ?? now) + 1;
    return { ...kept, ...grantFields(claim, now, now + claim.leaseMs), fencingToken };
  },
  sent: sentNow,
  lease: (lease) => lease,
  mayExtend: isOurs,
  mayRelease: isOurs,
  checkName: (name) => lockKey('', name, 'acquire'),
  endsAttempts: true,
  lockUntilOf: (record, now, leaseMs) => Math.max(record.lockUntil ?? 0, now + leaseMs),
  extended: (record) => record,
  lost: (record) => record,
  release: (record, lease, completion, now) => ({ ...record, ...releaseFields(lease, completion, now) }),
  isReleased: (record, lease) =>
    (record.attemptId === lease.attemptId && record.state === 'released') ||
    (hasRun(record, lease.fencingToken) && !isCrashRow(record, lease.fencingToken)),
  mayForce: (record, token) => record?.state === 'held' && record.fencingToken === token,
  isForced: (record, adminId) => record?.attemptId === adminId,
  forced: (record, force) => ({ ...record, ...forcedFields(force), fencingToken: force.fencingToken + 1 }),
  shown: (record) => record,
  paused: (record, pause) => ({ ...record, ...pausedFields(pause) }),
  resumed: ({ pausedUntil: _, pausedBy: __, ...record }) => record,
  resumeOf(record, now) {
    if (record === undefined || isDeleted(record)) return 'unknown';
    return (record.pausedUntil ?? 0) > now ? 'resumed' : 'not-paused';
  },
  judgeDeletion: (deletion, record, now) => judgeDeletion(deletion, record, (lockUntil) => lockUntil <= now),
  deleted: (record, deletion) => deletedRecord(deletion, record),
};

function isOurs(record: LockRecord | undefined, lease: Lease): boolean {
  return record?.attemptId === lease.attemptId && record.state === 'held';
}

const isCrashRow = (record: LockRecord, token: number) => record[`r${token % 10}`]?.startsWith('c') === true;

/** A fault, the rules that it breaks, and a case of the contract that must show it. */
export type Mutant = readonly [fault: string, broken: Partial<Rules>, shownBy: string];

/** A store in memory that keeps all rules but those that are given. */
export function mutantStore(broken: Partial<Rules> = {}): LockStore & LockAdminStore {
  const rules: Rules = { ...SOUND, ...broken };
  const records: Records = new Map();
  const find = (name: string) => records.get(rules.key(name));
  const keep = (name: string, record: LockRecord) => records.set(rules.key(name), record);
  const lose = (lease: Lease, now: number) => {
    const record = rules.lost(find(lease.name), lease, now);
    if (record) keep(lease.name, record);
  };

  return {
    async acquire(claim, { clock, signal }) {
      rules.checkName(claim.name);
      const sent = rules.sent(clock);
      const now = clock.now();
      const old = find(claim.name);
      const judgement = rules.judge(claim, old, now);
      if (judgement.kind === 'refused') return { status: 'refused', ...judgement.why };
      if (judgement.kind === 'own') return { status: 'acquired', lease: leaseOf(claim, judgement.record, sent) };
      if (rules.endsAttempts && old?.attemptId === claim.attemptId) {
        throw Object.assign(new Error('ended'), { name: 'LockStoreError' });
      }
      if (rules.gap) await rules.gap();
      const record = rules.grant(claim, old ?? {}, now);
      keep(claim.name, record);
      if (rules.answer) await rules.answer(signal);
      return { status: 'acquired', lease: rules.lease(leaseOf(claim, record, sent, old)) };
    },

    async extend(lease, { leaseMs }, { clock }) {
      const record = find(lease.name);
      const sent = rules.sent(clock);
      if (!record || !rules.mayExtend(record, lease, clock.now())) {
        lose(lease, clock.now());
        return { status: 'lost' };
      }
      const lockUntil = rules.lockUntilOf(record, clock.now(), leaseMs);
      keep(lease.name, rules.extended({ ...record, lockUntil }, record));
      return { status: 'extended', lockUntilMs: lockUntil, ...sent };
    },

    async release(lease, completion, { clock }) {
      const record = find(lease.name);
      if (rules.mayRelease(record, lease, clock.now())) {
        const released = rules.release(record ?? {}, lease, completion, clock.now());
        if (released) keep(lease.name, released);
        else records.delete(rules.key(lease.name));
        return 'released';
      }
      if (rules.isReleased(record ?? {}, lease)) return 'released';
      lose(lease, clock.now());
      return 'lost';
    },

    async list() {
      return [...records].map(([name, item]) => ({ name, item }));
    },

    async get(name) {
      rules.checkName(name);
      const item = rules.shown(find(name));
      return item && { name, item };
    },

    async forceRelease(force) {
      rules.checkName(force.name);
      const record = find(force.name);
      if (rules.mayForce(record, force.fencingToken)) {
        keep(force.name, rules.forced(record, force));
        return 'forced';
      }
      return rules.isForced(record, force.adminId) ? 'forced' : 'changed';
    },

    async pause(name, pause) {
      rules.checkName(name);
      keep(name, rules.paused(find(name), pause));
      return { name, item: find(name) ?? {} };
    },

    async resume(name, { clock }) {
      rules.checkName(name);
      const record = find(name);
      if (record) keep(name, rules.resumed(record));
      return rules.resumeOf(record, clock.now());
    },

    async delete(deletion, { clock }) {
      rules.checkName(deletion.name);
      const record = find(deletion.name);
      const result = rules.judgeDeletion(deletion, record, clock.now());
      if (result !== 'open') return result;
      const left = rules.deleted(record ?? {}, deletion);
      if (left) keep(deletion.name, left);
      else records.delete(rules.key(deletion.name));
      return 'deleted';
    },
  };
}
