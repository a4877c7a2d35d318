import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { LockAdminStore, StoredLock } from '../../core/ports/lock-admin-store.js';
import type { StoreCall } from '../../core/ports/lock-store.js';
import type { StoreOperation } from '../../core/public/errors.js';
import { isDeleted, judgeDeletion } from '../../core/record/deletion.js';
import type { Item, LockRecord } from '../../core/record/lock-record.js';
import { answered } from '../../core/request/try-loop.js';
import { settledDeletion, untoldWrite } from '../../core/request/untold-write.js';
import { refuseEmptyAnswer } from './empty-answer.js';
import { plainItem, plainOutput } from './item.js';
import { type Reply, readOnce } from './one-try.js';
import { checkOptions, type DynamoDBStoreOptions } from './options.js';
import { deleteRequest, forceReleaseRequest, pauseRequest, resumeRequest, type UpdateRequest } from './requests.js';
import { lockTable, SORT_VALUE } from './table.js';

/**
 * What operators do to locks in a DynamoDB table. Needs the rights to `dynamodb:UpdateItem`, `dynamodb:GetItem` and
 * `dynamodb:Scan`. Options as for `dynamoDBStore`.
 *
 * @throws TypeError, RangeError for options that cannot be; nothing is sent
 */
export function dynamoDBAdminStore(options: DynamoDBStoreOptions): LockAdminStore {
  const table = lockTable(checkOptions('dynamoDBAdminStore', options));
  const { tableName, partitionKey, sortKey, keyPrefix, client } = table;

  const update = async (
    operation: StoreOperation,
    name: string,
    request: UpdateRequest,
    call: StoreCall,
  ): Promise<Reply & { readonly ambiguous: boolean }> => {
    const answer = await table.update({ operation, name, request }, call);
    return { ...answered(answer), ambiguous: answer.ambiguous };
  };

  /** The lock in an item; undefined for an item of somebody else's, in a table that is shared. */
  const storedLock = (item: Item): StoredLock | undefined => {
    const { [partitionKey]: key, ...attributes } = plainItem(item);
    if (typeof key !== 'string' || !key.startsWith(keyPrefix) || key === keyPrefix) return undefined;
    if (sortKey !== undefined && item[sortKey] !== SORT_VALUE) return undefined;
    return { name: key.slice(keyPrefix.length), item: attributes };
  };

  const read = async (operation: StoreOperation, name: string, call: StoreCall) => {
    const key = table.keyOf({ operation, name });
    const answer = await table.ask({ operation, name }, call, (signal) => readOnce(table, key, { ...call, signal }));
    const { item, time } = answered(answer);
    return { lock: item && storedLock(item), serverMs: time.serverMs };
  };

  return {
    async list(call) {
      const locks: StoredLock[] = [];
      let ExclusiveStartKey: Item | undefined;
      do {
        const page = refuseEmptyAnswer(
          new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey }),
        );
        const answer = await table.ask({ operation: 'list', name: '*' }, call, async (abortSignal) => {
          const { Items = [], LastEvaluatedKey } = plainOutput(await client.send(page, { abortSignal }));
          return { found: Items.map(storedLock), next: LastEvaluatedKey };
        });
        const { found, next } = answered(answer);
        locks.push(...found.filter((lock) => lock !== undefined));
        ExclusiveStartKey = next;
      } while (ExclusiveStartKey);
      return locks;
    },

    async get(name, call) {
      return (await read('get', name, call)).lock;
    },

    async forceRelease(force, call) {
      const { applied, item, ambiguous } = await update('forceRelease', force.name, forceReleaseRequest(force), call);
      // Refused, and yet by this very force release: an earlier try was applied.
      if (applied || item?.['attemptId'] === force.adminId) return 'forced';
      if (ambiguous) throw untoldWrite('forceRelease', force.name);
      return 'changed';
    },

    async pause(name, pause, call) {
      const { item } = await update('pause', name, pauseRequest(pause), call);
      const { [partitionKey]: _, ...attributes } = item ?? {};
      return { name, item: attributes };
    },

    async resume(name, call) {
      const { applied, item, ambiguous } = await update('resume', name, resumeRequest(), call);
      if (applied) return Number(item?.['pausedUntil']) <= call.clock.now() ? 'not-paused' : 'resumed';
      if (item === undefined || isDeleted(item)) return 'unknown';
      // An earlier try may have removed the pause.
      return ambiguous ? 'resumed' : 'not-paused';
    },

    async delete(deletion, call) {
      const { name } = deletion;
      const { lock, serverMs = call.clock.now() } = await read('delete', name, call);
      // By the server's clock a dead holder's lease is over, as it is for a takeover.
      const judge = (item: Item | undefined) => judgeDeletion(deletion, item, (lockUntil) => lockUntil <= serverMs);
      const found = judge(lock?.item);
      if (found !== 'open') return found;
      const request = deleteRequest(deletion, lock?.item as LockRecord);
      const { applied, item, ambiguous } = await update('delete', name, request, call);
      return applied ? 'deleted' : settledDeletion(name, judge(item), ambiguous);
    },
  };
}
