import type {
  DeleteResult,
  Deletion,
  ForceRelease,
  LockAdminStore,
  Pause,
  ResumeResult,
  StoredLock,
  TickListing,
} from '../../core/ports/lock-admin-store.js';
import type { StoreCall } from '../../core/ports/lock-store.js';
import { checkAttribute } from '../../core/record/lock-record.js';
import { settledDeletion, settledListing, unansweredWrite } from '../../core/request/attempt.js';
import { answered } from '../../core/request/try-loop.js';
import { nameProblem } from '../../core/values/names.js';
import { DELETE, FORCE_RELEASE, GET, LIST_TICKS, PAUSE, RESUME } from './admin-scripts.js';
import { namesUnderPrefix } from './list.js';
import type { RedisConnection } from './send.js';

/** Read ten locks at a time: Node warns if an AbortSignal has more than ten listeners. */
const READ_TOGETHER = 10;

/** Makes the admin store for locks in a Redis. */
export function redisAdmin(redis: RedisConnection): LockAdminStore {
  return {
    list: (call) => list(redis, call),
    get: (name, call) => get(redis, name, call),
    forceRelease: (force, call) => forceRelease(redis, force, call),
    pause: (name, pause, call) => pauseLock(redis, name, pause, call),
    resume: (name, call) => resume(redis, name, call),
    delete: (deletion, call) => deleteLock(redis, deletion, call),
    listTicks: (listing, call) => listTicks(redis, listing, call),
  };
}

async function list(redis: RedisConnection, call: StoreCall): Promise<StoredLock[]> {
  const names = await namesUnderPrefix(redis, call);
  // Leave out keys that no lock can have: other data may use the same prefix.
  const ofLocks = [...names].filter((name) => name !== '' && nameProblem(redis.keyPrefix + name) === undefined);
  const locks: StoredLock[] = [];
  for (let start = 0; start < ofLocks.length; start += READ_TOGETHER) {
    const some = ofLocks.slice(start, start + READ_TOGETHER).map((name) => get(redis, name, call));
    locks.push(...(await Promise.all(some)).filter((lock) => lock !== undefined));
  }
  return locks;
}

async function get(redis: RedisConnection, name: string, call: StoreCall): Promise<StoredLock | undefined> {
  const order = { script: GET, operation: 'get', name, args: [], words: ['read'] } as const;
  const { item, nowMs } = answered(await redis.run(order, call));
  return item && { name, item, readMs: nowMs };
}

async function forceRelease(redis: RedisConnection, force: ForceRelease, call: StoreCall) {
  const { name, adminId, fencingToken, failedTicks = '' } = force;
  const words = ['forced', 'changed'] as const;
  const order = {
    script: FORCE_RELEASE,
    operation: 'forceRelease',
    name,
    args: [adminId, fencingToken, failedTicks],
    words,
  } as const;
  const answer = await redis.run(order, call);
  const { word } = answered(answer);
  // An earlier try may have been applied before the lock changed.
  if (word === 'changed' && answer.ambiguous) throw unansweredWrite('forceRelease', name);
  return word;
}

async function pauseLock(redis: RedisConnection, name: string, pause: Pause, call: StoreCall): Promise<StoredLock> {
  const args = [pause.untilMs, pause.by];
  const order = { script: PAUSE, operation: 'pause', name, args, words: ['paused'] } as const;
  const { item = {}, nowMs } = answered(await redis.run(order, call));
  return { name, item, readMs: nowMs };
}

async function resume(redis: RedisConnection, name: string, call: StoreCall): Promise<ResumeResult> {
  const words = ['resumed', 'not-paused', 'unknown'] as const;
  const answer = await redis.run({ script: RESUME, operation: 'resume', name, args: [], words }, call);
  const { word, item } = answered(answer);
  // An earlier try may have removed the pause.
  return word === 'not-paused' && answer.ambiguous && item?.['pausedUntil'] === undefined ? 'resumed' : word;
}

async function deleteLock(redis: RedisConnection, deletion: Deletion, call: StoreCall): Promise<DeleteResult> {
  const { name, adminId, fencingToken } = deletion;
  const words = ['deleted', 'held', 'changed', 'unknown'] as const;
  const answer = await redis.run(
    { script: DELETE, operation: 'delete', name, args: [adminId, fencingToken], words },
    call,
  );
  const { word, item = {} } = answered(answer);
  if (word === 'changed') checkAttribute(name, item, 'fencingToken');
  if (word === 'held') checkAttribute(name, item, 'lockUntil');
  return settledDeletion(name, word, answer.ambiguous);
}

async function listTicks(redis: RedisConnection, listing: TickListing, call: StoreCall) {
  const { name, seen } = listing;
  const { fencingToken = '', doneTick = '', openTicks = '', failedTicks = '' } = seen;
  const args = [listing.openTicks, listing.failedTicks, fencingToken, doneTick, openTicks, failedTicks];
  const words = ['listed', 'changed'] as const;
  const answer = await redis.run({ script: LIST_TICKS, operation: 'listTicks', name, args, words }, call);
  return settledListing(name, answered(answer).word, answer.ambiguous);
}
