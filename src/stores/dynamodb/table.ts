import type { StoreCall } from '../../core/ports/lock-store.js';
import type { CorruptLockError, LockStoreError, StoreOperation } from '../../core/public/errors.js';
import { lockKey } from '../../core/record/lock-record.js';
import { type Answer, tryUntilAnswered } from '../../core/request/try-loop.js';
import type { Signal } from '../../core/values/clock.js';
import { classifyFailure, failureOf } from './errors.js';
import { type Reply, type TableKey, writeOnce } from './one-try.js';
import type { TableOptions } from './options.js';
import type { UpdateRequest } from './requests.js';

/** Value of the sort key of every lock, in tables that have one. */
export const SORT_VALUE = 'lock';

/** The verb and the lock of a request. */
export interface Purpose {
  readonly operation: StoreOperation;
  readonly name: string;
}

/** A write, with its verb and lock. */
export interface UpdateOrder extends Purpose {
  /** @default the key of the lock */
  readonly key?: TableKey;
  readonly request: UpdateRequest;
}

/** How a call to the table ended. */
export type TableAnswer<T> = Answer<T, LockStoreError | CorruptLockError>;

/** A lock table: its client, its keys, and the one way a request is sent. */
export interface LockTable extends TableOptions {
  /** @throws LockStoreError (INVALID_NAME) */
  keyOf(purpose: Purpose): TableKey;
  /** Tries until there is an answer. */
  ask<T>(purpose: Purpose, call: StoreCall, send: (signal: Signal) => Promise<T>): Promise<TableAnswer<T>>;
  /** Sends a write until it is answered. A refusal is an answer. @throws LockStoreError (INVALID_NAME) */
  update(order: UpdateOrder, call: StoreCall): Promise<TableAnswer<Reply>>;
}

export function lockTable(options: TableOptions): LockTable {
  const { tableName, partitionKey, sortKey, keyPrefix } = options;

  const keyOf: LockTable['keyOf'] = ({ operation, name }) => ({
    [partitionKey]: lockKey(keyPrefix, name, operation),
    ...(sortKey !== undefined && { [sortKey]: SORT_VALUE }),
  });

  const ask: LockTable['ask'] = async ({ operation, name }, call, send) => {
    const answer = await tryUntilAnswered(call, send, classifyFailure);
    return 'error' in answer ? { ...answer, error: failureOf(answer.error, operation, name, tableName) } : answer;
  };

  return {
    ...options,
    keyOf,
    ask,
    async update(order, call) {
      const { key = keyOf(order), request } = order;
      const answer = await ask(order, call, (signal) => writeOnce(options, key, request, { ...call, signal }));
      if ('error' in answer) return answer;
      return { ...answer, ambiguous: answer.ambiguous || answer.value.retried };
    },
  };
}
