import type { Item } from '../../core/record/lock-record.js';
import { describe } from '../../core/values/describe.js';

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

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  const { S, N, value: wrapped } = value as { S?: unknown; N?: unknown; value?: unknown };
  if (typeof S === 'string') return S;
  if (typeof N === 'string') return Number(N);
  return typeof wrapped === 'string' ? Number(wrapped) : value;
}

/** @throws TypeError for what no client resolves with, and which says nothing of the write */
export function plainOutput<T>(output: T): T {
  if (typeof output === 'object' && output !== null) return output;
  throw new TypeError(`the client answered with ${describe(output)}`);
}
