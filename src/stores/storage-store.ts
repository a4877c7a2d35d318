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
import { defined } from '../core/values/defined.js';
import { checkKeyPrefix, memberListName, nameProblem } from '../core/values/names.js';
import { type Asked, decide, keepingUnreadable, operationOf, type Result, type Verb } from './decisions.js';
import { type ChangeAnswer, change, listAll } from './storage-change.js';
import type { Storage } from './storage-port.js';

/**
 * Makes the verbs of runs, of the members of an election, and of operators. Each verb changes one record in a storage.
 *
 * @param storageOf makes the storage for one call
 * @param prefix put before each lock name
 * @throws TypeError, RangeError for a prefix that no key can begin with
 */
export function storageStore<Version>(
  storageOf: (call: StoreCall) => Storage<Version>,
  prefix: unknown = '',
): LockStore & MemberStore & LockAdminStore {
  const keyPrefix = checkKeyPrefix(prefix);
  const swap: Swap = (verb, name, asked, call) => {
    const operation = operationOf(verb);
    return change(storageOf(call), { operation, name, key: lockKey(keyPrefix, name, operation) }, call, (found) =>
      keepingUnreadable(name, found, decide(verb, asked, found)),
    );
  };
  return storeOver(swap, async (call) =>
    locksIn(keyPrefix, await listAll(storageOf(call), keyPrefix, call)).map(({ name, record, nowMs }) => ({
      name,
      item: record,
      ...defined({ readMs: nowMs }),
    })),
  );
}

/** Makes the verbs over the one step that they consist of, and over a list of all locks. */
export function storeOver(swap: Swap, list: LockAdminStore['list']): LockStore & MemberStore & LockAdminStore {
  return { ...lockVerbs(swap), ...operatorVerbs(swap), list };
}

/** Leaves out keys that no lock can have, because other data may use the same prefix. Adds the name to the others. */
export function locksIn<K extends { readonly key: string }>(
  keyPrefix: string,
  keys: readonly K[],
): (K & { readonly name: string })[] {
  return keys
    .filter(({ key }) => key !== keyPrefix && nameProblem(key) === undefined)
    .map((one) => ({ ...one, name: one.key.slice(keyPrefix.length) }));
}

/** Reads a record, decides what to write, and writes it, in one step: see `change`. */
export type Swap = <V extends Verb>(
  verb: V,
  name: string,
  asked: Asked<V>,
  call: StoreCall,
) => Promise<ChangeAnswer<Result<V>>>;

async function acquire(swap: Swap, claim: Claim, call: StoreCall): Promise<AcquireResult> {
  const { name } = claim;

  // 1. Acquire; this also takes over an expired lock.
  const answer = await swap('acquire', name, claim, call);
  const ended: Ended = 'error' in answer ? { status: 'failed', error: answer.error } : answer.value.result;
  const writes = [{ answer }];
  if (!mayStillApply(claim, ended, writes)) return resultOf(ended);

  // 2. Cancel. If it finds a grant, the lease counts from the first send of the acquire.
  const cancel = await swap('cancel', name, { claim, ...defined({ firstSent: answer.sent }) }, cancelCall(call));
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
  const answer = await swap('release', lease.name, { lease, completion }, call);
  const { result } = answered(answer);
  return result === 'lost' && answer.ambiguous ? 'unknown' : result;
}

function lockVerbs(swap: Swap): LockStore & MemberStore {
  return {
    acquire: (claim, call) => acquire(swap, claim, call),

    async extend(lease, { leaseMs }, call) {
      return answered(await swap('extend', lease.name, { lease, leaseMs }, call)).result;
    },

    async mark(lease, done, call) {
      return answered(await swap('mark', lease.name, { lease, done }, call)).result;
    },

    release: (lease, completion, call) => release(swap, lease, completion, call),

    async checkIn(asked, call) {
      return answered(await swap('checkIn', memberListName(asked.group), asked, call)).result;
    },
  };
}

function operatorVerbs(swap: Swap): Omit<LockAdminStore, 'list'> {
  return {
    async get(name, call) {
      const { item, result: readMs } = answered(await swap('get', name, name, call));
      return item && { name, item, readMs };
    },

    async forceRelease(force, call) {
      const { name } = force;
      const answer = await swap('forceRelease', name, force, call);
      const { result } = answered(answer);
      // An earlier try may have been applied before the lock changed.
      if (result === 'changed' && answer.ambiguous) throw unansweredWrite('forceRelease', name);
      return result;
    },

    async pause(name, pause, call) {
      return { name, ...answered(await swap('pause', name, pause, call)).result };
    },

    async resume(name, call) {
      const answer = await swap('resume', name, name, call);
      const { result, item } = answered(answer);
      // An earlier try may have removed the pause.
      return result === 'not-paused' && answer.ambiguous && item?.['pausedUntil'] === undefined ? 'resumed' : result;
    },

    async delete(deletion, call) {
      const { name } = deletion;
      const answer = await swap('delete', name, deletion, call);
      return settledDeletion(name, answered(answer).result, answer.ambiguous);
    },

    async listTicks(listing, call) {
      const { name } = listing;
      const answer = await swap('listTicks', name, listing, call);
      return settledListing(name, answered(answer).result, answer.ambiguous);
    },
  };
}
