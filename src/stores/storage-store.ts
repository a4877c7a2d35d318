import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type {
  AcquireResult,
  Claim,
  Completion,
  Lease,
  LockStore,
  ReleaseResult,
  StoreCall,
} from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import type { StoreOperation } from '../core/public/errors.js';
import { lockKey } from '../core/record/lock-record.js';
import {
  cancelCall,
  type Ended,
  isUnreadable,
  mayStillApply,
  resultOf,
  settledDeletion,
  settledListing,
  unansweredWrite,
  uncancelled,
  unusedCompletions,
} from '../core/request/attempt.js';
import { answered } from '../core/request/try-loop.js';
import { describe } from '../core/values/checks.js';
import { defined } from '../core/values/defined.js';
import { memberListName, nameProblem } from '../core/values/names.js';
import {
  type Decision,
  decideAcquire,
  decideCancel,
  decideCheckIn,
  decideDelete,
  decideExtend,
  decideForce,
  decideListTicks,
  decideMark,
  decidePause,
  decideRelease,
  decideResume,
  type Found,
  keepingUnreadable,
} from './decisions.js';
import { type ChangeAnswer, change, listAll } from './storage-change.js';
import type { Storage } from './storage-port.js';

/**
 * Makes the verbs of runs, of the members of an election, and of operators. Each verb changes one record in a storage.
 *
 * @param storageOf makes the storage for one call
 * @param keyPrefix put before each lock name
 * @throws TypeError for a prefix that is not a string
 */
export function storageStore<Version>(
  storageOf: (call: StoreCall) => Storage<Version>,
  keyPrefix: unknown = '',
): LockStore & MemberStore & LockAdminStore {
  if (typeof keyPrefix !== 'string') throw new TypeError(`keyPrefix is ${describe(keyPrefix)}: give a string`);
  const swap: Swap = (operation, name, call, decide) =>
    change(storageOf(call), { operation, name, key: lockKey(keyPrefix, name, operation) }, call, (found) =>
      keepingUnreadable(name, found, decide(found)),
    );
  return {
    ...lockVerbs(swap),
    ...operatorVerbs(swap),
    async list(call) {
      const found = await listAll(storageOf(call), keyPrefix, call);
      // Leave out keys that no lock can have: other data may use the same prefix.
      return found
        .filter(({ key }) => key !== keyPrefix && nameProblem(key) === undefined)
        .map(({ key, record, nowMs }) => ({
          name: key.slice(keyPrefix.length),
          item: record,
          ...defined({ readMs: nowMs }),
        }));
    },
  };
}

/** Reads a record, decides what to write, and writes it: see `change`. */
type Swap = <T>(
  operation: StoreOperation,
  name: string,
  call: StoreCall,
  decide: (found: Found) => Decision<T>,
) => Promise<ChangeAnswer<T>>;

async function acquire(swap: Swap, claim: Claim, call: StoreCall): Promise<AcquireResult> {
  const { name } = claim;

  // 1. Acquire; this also takes over an expired lock.
  const answer = await swap('acquire', name, call, (found) => decideAcquire(claim, found));
  const ended: Ended = 'error' in answer ? { status: 'failed', error: answer.error } : answer.value.result;
  const writes = [{ answer }];
  if (!mayStillApply(claim, ended, writes)) return resultOf(ended);

  // 2. Cancel. If it finds a grant, the lease counts from the first send of the acquire.
  const { sent } = answer;
  const cancel = await swap('acquire', name, cancelCall(call), (found) =>
    decideCancel(claim, { ...found, ...defined({ sent }) }),
  );
  if ('error' in cancel) throw uncancelled(name, ended, cancel.error);
  const own = cancel.value.result;
  if (!own || !('error' in ended && isUnreadable(ended.error))) return own ?? resultOf(ended);

  // 3. Give back what cannot be used.
  for (const unused of unusedCompletions(claim)) {
    if (!(await release(swap, own.lease, unused, cancelCall(call)).then(() => false, isUnreadable))) break;
  }
  return resultOf(ended);
}

async function release(swap: Swap, lease: Lease, completion: Completion, call: StoreCall): Promise<ReleaseResult> {
  const answer = await swap('release', lease.name, call, (found) => decideRelease(lease, completion, found));
  const { result } = answered(answer);
  return result === 'lost' && answer.ambiguous ? 'unknown' : result;
}

function lockVerbs(swap: Swap): LockStore & MemberStore {
  return {
    acquire: (claim, call) => acquire(swap, claim, call),

    async extend(lease, { leaseMs }, call) {
      return answered(await swap('extend', lease.name, call, (found) => decideExtend(lease, leaseMs, found))).result;
    },

    async mark(lease, done, call) {
      return answered(await swap('mark', lease.name, call, (found) => decideMark(lease, done, found))).result;
    },

    release: (lease, completion, call) => release(swap, lease, completion, call),

    async checkIn(asked, call) {
      const name = memberListName(asked.group);
      return answered(await swap('checkIn', name, call, (found) => decideCheckIn(asked, found))).result;
    },
  };
}

function operatorVerbs(swap: Swap): Omit<LockAdminStore, 'list'> {
  return {
    async get(name, call) {
      const { item, result: readMs } = answered(await swap('get', name, call, ({ nowMs }) => ({ result: nowMs })));
      return item && { name, item, readMs };
    },

    async forceRelease(force, call) {
      const { name } = force;
      const answer = await swap('forceRelease', name, call, (found) => decideForce(force, found));
      const { result } = answered(answer);
      // An earlier try may have been applied before the lock changed.
      if (result === 'changed' && answer.ambiguous) throw unansweredWrite('forceRelease', name);
      return result;
    },

    async pause(name, pause, call) {
      const decide = (found: Found) => {
        const { result, ...decision } = decidePause(pause, found);
        return { ...decision, result: { name, item: result, readMs: found.nowMs } };
      };
      return answered(await swap('pause', name, call, decide)).result;
    },

    async resume(name, call) {
      const answer = await swap('resume', name, call, decideResume);
      const { result, item } = answered(answer);
      // An earlier try may have removed the pause.
      return result === 'not-paused' && answer.ambiguous && item?.['pausedUntil'] === undefined ? 'resumed' : result;
    },

    async delete(deletion, call) {
      const { name } = deletion;
      const answer = await swap('delete', name, call, (found) => decideDelete(deletion, found));
      return settledDeletion(name, answered(answer).result, answer.ambiguous);
    },

    async listTicks(listing, call) {
      const { name } = listing;
      const answer = await swap('listTicks', name, call, (found) => decideListTicks(listing, found));
      return settledListing(name, answered(answer).result, answer.ambiguous);
    },
  };
}
