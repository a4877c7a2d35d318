import { type Item, isRecordAttribute } from '../../core/record/lock-record.js';
import { describe } from '../../core/values/checks.js';
import type { ResponseTime } from './response-time.js';

/**
 * An item with plain strings and numbers, in whatever form the SDK returns it: the item in an exception has raw
 * attribute values even from the document client, and a client may wrap numbers. Other values are left unchanged, and
 * the record's checks name them.
 *
 * @throws TypeError for an answer that no client gives
 */
export function plainItem(item: Item): Item {
  if (typeof item !== 'object' || item === null) throw new TypeError(`the client answered with ${describe(item)}`);
  return Object.fromEntries(Object.entries(item).map(([attribute, value]) => [attribute, plain(value)]));
}

/** Whether a lock's item can have this attribute. */
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
 * The output of a command, if it is DynamoDB's. The SDK treats an empty answer, such as a gateway's, as a success
 * without data, and an acquire would count it as a grant.
 *
 * @param field the member of the output that holds the data, if there is any
 * @throws MockAnswer for an output that no client resolves to; EmptyAnswer, after which the write may have been applied
 */
export function answerOf<O extends object>(output: O, field: keyof O, { isUnnamed }: ResponseTime): O {
  if (typeof output !== 'object' || output === null) {
    throw new MockAnswer(`the client answered with ${describe(output)}`);
  }
  if (isUnnamed && output[field] === undefined) throw new EmptyAnswer();
  return output;
}

/** A mocked client without a configured answer. */
class MockAnswer extends TypeError {
  override readonly name = 'MockAnswer';
}

/** The request may have been applied. */
class EmptyAnswer extends Error {
  override readonly name = 'EmptyAnswer';

  constructor() {
    super('the answer is empty and has no request id');
  }
}
