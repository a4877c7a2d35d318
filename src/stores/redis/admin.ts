import type { LockAdminStore, StoredLock } from '../../core/ports/lock-admin-store.js';
import type { StoreCall } from '../../core/ports/lock-store.js';
import type { StoreOperation } from '../../core/public/errors.js';
import { checkAttribute } from '../../core/record/lock-record.js';
import { answered, tryUntilAnswered } from '../../core/request/try-loop.js';
import { settledDeletion, untoldWrite } from '../../core/request/untold-write.js';
import { nameProblem } from '../../core/values/lock-name.js';
import { DELETE, FORCE_RELEASE, GET, LIST, PAUSE, RESUME } from './admin-scripts.js';
import type { RedisConnection, RedisReply } from './connection.js';
import { classifyFailure, failureOf } from './errors.js';
import { readPage } from './reply.js';
import type { RedisScript } from './scripts.js';

/** Locks that a list reads at a time: a signal warns of more than ten who listen to it. */
const READ_TOGETHER = 10;

/** What operators do to locks in a Redis. */
export function redisAdmin(redis: RedisConnection): LockAdminStore {
  const { keyPrefix } = redis;

  async function run<W extends string>(
    [operation, script, words]: readonly [StoreOperation, RedisScript, readonly W[]],
    name: string,
    args: readonly (string | number)[],
    call: StoreCall,
  ): Promise<RedisReply<W> & { readonly ambiguous: boolean }> {
    const answer = await redis.run({ script, operation, name, args, words }, call);
    return { ...answered(answer), ambiguous: answer.ambiguous };
  }

  const get = async (name: string, call: StoreCall): Promise<StoredLock | undefined> => {
    const { item } = await run(['get', GET, ['read']], name, [], call);
    return item && { name, item };
  };

  return {
    get,

    async list(call) {
      const names = new Set<string>();
      let cursor = '0';
      do {
        const args = [cursor];
        const send = async () => readPage(await redis.send(LIST, [keyPrefix], args));
        const answer = await tryUntilAnswered(call, send, classifyFailure);
        if ('error' in answer) throw failureOf(answer.error, 'list', '*');
        for (const name of answer.value.names) names.add(name);
        cursor = answer.value.cursor;
      } while (cursor !== '0');
      // Something else may lie under the prefix, with a key that no lock can have.
      const ofLocks = [...names].filter((name) => name !== '' && nameProblem(keyPrefix + name) === undefined);
      const locks: StoredLock[] = [];
      for (let start = 0; start < ofLocks.length; start += READ_TOGETHER) {
        const some = ofLocks.slice(start, start + READ_TOGETHER).map((name) => get(name, call));
        locks.push(...(await Promise.all(some)).filter((lock) => lock !== undefined));
      }
      return locks;
    },

    async forceRelease({ name, adminId, fencingToken }, call) {
      const words = ['forced', 'changed'] as const;
      const { word, ambiguous } = await run(
        ['forceRelease', FORCE_RELEASE, words],
        name,
        [adminId, fencingToken],
        call,
      );
      // An earlier try may have been applied before the lock changed.
      if (word === 'changed' && ambiguous) throw untoldWrite('forceRelease', name);
      return word;
    },

    async pause(name, { untilMs, by }, call) {
      const { item = {} } = await run(['pause', PAUSE, ['paused']], name, [untilMs, by], call);
      return { name, item };
    },

    async resume(name, call) {
      const words = ['resumed', 'not-paused', 'unknown'] as const;
      const { word, item, ambiguous } = await run(['resume', RESUME, words], name, [], call);
      // An earlier try may have removed the pause.
      return word === 'not-paused' && ambiguous && item?.['pausedUntil'] === undefined ? 'resumed' : word;
    },

    async delete({ name, adminId, fencingToken }, call) {
      const words = ['deleted', 'held', 'changed', 'unknown'] as const;
      const { word, item = {}, ambiguous } = await run(['delete', DELETE, words], name, [adminId, fencingToken], call);
      if (word === 'changed') checkAttribute(name, item, 'fencingToken');
      if (word === 'held') checkAttribute(name, item, 'lockUntil');
      return settledDeletion(name, word, ambiguous);
    },
  };
}
