import type { LockAdminStore } from '../core/ports/lock-admin-store.js';
import type { Granted, LockStore, StoreCall } from '../core/ports/lock-store.js';
import type { MemberStore } from '../core/ports/member-store.js';
import type { StoreOperation } from '../core/public/errors.js';
import { lockKey } from '../core/record/lock-record.js';
import { settleAttempt, settledDeletion, settledListing, unansweredWrite } from '../core/request/attempt.js';
import { type Answer, answered } from '../core/request/try-loop.js';
import { describe } from '../core/values/checks.js';
import type { Sent } from '../core/values/clock.js';
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
import { type Changed, change, listAll } from './storage-change.js';
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
        .map(({ key, record }) => ({ name: key.slice(keyPrefix.length), item: record }));
    },
  };
}

/** Reads a record, decides what to write, and writes it: see `change`. */
type Swap = <T>(
  operation: StoreOperation,
  name: string,
  call: StoreCall,
  decide: (found: Found) => Decision<T>,
) => Promise<Answer<Changed<T>, Error>>;

function lockVerbs(swap: Swap): LockStore & MemberStore {
  return {
    acquire(claim, call) {
      let sent: Sent | undefined;
      return settleAttempt<Changed<Granted | undefined>>(claim, call, {
        async acquire(note) {
          const answer = await swap('acquire', claim.name, call, (found) => {
            sent = found.sent;
            return decideAcquire(claim, found);
          });
          note(answer, 'value' in answer ? answer.value.item : undefined);
          return answered(answer).result;
        },
        // If the cancel finds a grant, the lease counts from the first send of the acquire.
        cancel: (cancelCall) =>
          swap('acquire', claim.name, cancelCall, (found) =>
            decideCancel(claim, { ...found, sent: sent ?? found.sent }),
          ),
        own: ({ result }) => result,
        giveBack: async (lease, completion, releaseCall) =>
          answered(await swap('release', lease.name, releaseCall, (found) => decideRelease(lease, completion, found))),
      });
    },

    async extend(lease, { leaseMs }, call) {
      return answered(await swap('extend', lease.name, call, (found) => decideExtend(lease, leaseMs, found))).result;
    },

    async mark(lease, done, call) {
      return answered(await swap('mark', lease.name, call, (found) => decideMark(lease, done, found))).result;
    },

    async release(lease, completion, call) {
      const answer = await swap('release', lease.name, call, (found) => decideRelease(lease, completion, found));
      const { result } = answered(answer);
      return result === 'lost' && answer.ambiguous ? 'unknown' : result;
    },

    async checkIn(asked, call) {
      const name = memberListName(asked.group);
      return answered(await swap('checkIn', name, call, (found) => decideCheckIn(asked, found))).result;
    },
  };
}

function operatorVerbs(swap: Swap): Omit<LockAdminStore, 'list'> {
  return {
    async get(name, call) {
      const { item } = answered(await swap('get', name, call, () => ({ result: undefined })));
      return item && { name, item };
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
      return { name, item: answered(await swap('pause', name, call, (found) => decidePause(pause, found))).result };
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
