import { type Item, isRecordAttribute } from '../../core/record/lock-record.js';
import { describe } from '../../core/values/describe.js';
import type { ResponseTime } from './response-time.js';

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
