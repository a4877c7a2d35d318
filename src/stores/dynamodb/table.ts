import type { StoreCall } from '../../core/ports/lock-store.js';
import type { CorruptLockError, LockStoreError, StoreOperation } from '../../core/public/errors.js';
import { type Item, isRecordAttribute, lockKey } from '../../core/record/lock-record.js';
import { type Answer, tryUntilAnswered } from '../../core/request/try-loop.js';
import { describe } from '../../core/values/describe.js';
import type { Signal } from '../../core/values/signal.js';
import { classifyFailure, failureOf } from './errors.js';
import { type Reply, type TableKey, writeOnce } from './one-try.js';
import type { TableOptions } from './options.js';
import type { UpdateRequest } from './requests.js';
import type { ResponseTime } from './response-time.js';

/** Value of the sort key of every lock, in tables that have one. */
export const SORT_VALUE = 'lock';

/** What a request is for. */
export interface Purpose {
  readonly operation: StoreOperation;
  readonly name: string;
}

/** A write, and what it is for. */
export interface UpdateOrder extends Purpose {
  /** @default that of the lock */
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

/**
 * An item with plain strings and numbers, whichever way the SDK hands it out: the item in an exception is made of raw
 * attribute values even through the document client, and a client may wrap numbers. What is neither a string nor a
 * number stays as it is, for the record's checks to name.
 *
 * @throws TypeError for what no client answers with
 */
export function plainItem(item: Item): Item {
  if (typeof item !== 'object' || item === null) throw new TypeError(`the client answered with ${describe(item)}`);
  return Object.fromEntries(Object.entries(item).map(([attribute, value]) => [attribute, plain(value)]));
}

/** Whether an item of a lock can have this attribute. */
export const isLockAttribute = (name: string): boolean => isRecordAttribute(name);

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  const { S, N, value: wrapped } = value as { S?: unknown; N?: unknown; value?: unknown };
  if (typeof S === 'string') return S;
  if (typeof N === 'string') return Number(N);
  return typeof wrapped === 'string' ? Number(wrapped) : value;
}

/**
 * The output of a command, if it is DynamoDB's. The SDK takes an empty answer, as that of a gateway may be, for a
 * success that tells nothing, and so would an acquire.
 *
 * @param field what the output holds if there is anything to tell
 * @throws MockAnswer for what no client resolves with; EmptyAnswer, which says nothing of the write
 */
export function answerOf<O extends object>(output: O, field: keyof O, { isUnnamed }: ResponseTime): O {
  if (typeof output !== 'object' || output === null) {
    throw new MockAnswer(`the client answered with ${describe(output)}`);
  }
  if (isUnnamed && output[field] === undefined) throw new EmptyAnswer();
  return output;
}

/** A client that was mocked, and not told what to answer. */
class MockAnswer extends TypeError {
  override readonly name = 'MockAnswer';
}

/** Whether the request was applied is not known. */
class EmptyAnswer extends Error {
  override readonly name = 'EmptyAnswer';

  constructor() {
    super('the answer holds nothing, and names no request of DynamoDB');
  }
}
