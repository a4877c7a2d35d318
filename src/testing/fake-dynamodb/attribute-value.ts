import { beyondFake } from './error.js';

/*
 * Attribute values in the document client's form (plain strings, numbers and so on), and in DynamoDB's. An absent
 * attribute is `undefined`.
 */

/** An item as plain values. */
export type FakeItem = Readonly<Record<string, unknown>>;

/** Returns the value of an attribute; undefined if the attribute is absent. */
export function attributeOf(item: FakeItem, attribute: string): unknown {
  return Object.hasOwn(item, attribute) ? item[attribute] : undefined;
}

/** Returns a value as DynamoDB sends it, such as `{ N: '1' }`. */
function rawValue(value: unknown): Record<string, unknown> {
  if (typeof value === 'string') return { S: value };
  if (Number.isFinite(value)) return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  throw beyondFake(`keep a ${typeof value}: it keeps strings, finite numbers, booleans and null`);
}

/**
 * Returns an item as DynamoDB sends it.
 *
 * @throws a ValidationException for a value that no lock has, such as a set
 */
export function rawItem(item: FakeItem): Record<string, Record<string, unknown>> {
  return Object.fromEntries(Object.entries(item).map(([attribute, value]) => [attribute, rawValue(value)]));
}

/** Returns DynamoDB's letter for a value's type, such as `N`; undefined for an absent attribute. */
export function typeOf(value: unknown): string | undefined {
  return value === undefined ? undefined : Object.keys(rawValue(value))[0];
}

/** Whether two values are equal. An absent attribute equals nothing, not even another absent attribute. */
export function areEqual(a: unknown, b: unknown): boolean {
  return a !== undefined && a === b;
}

/**
 * Compares two values. Returns less than 0 if `a` comes first, 0 if they are equal, greater than 0 if `b` comes first.
 * Returns NaN if they have no order, because a value is absent or their types differ.
 */
export function orderOf(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return typeof a === 'string' && typeof b === 'string' ? orderOfTexts([...a], [...b]) : Number.NaN;
}

/** Compares texts by code points. Their UTF-8 bytes have the same order. */
function orderOfTexts(a: readonly string[], b: readonly string[]): number {
  const codeAt = (text: readonly string[], i: number) => text[i]?.codePointAt(0) ?? -1;
  const i = a.findIndex((character, at) => character !== b[at]);
  return i === -1 ? a.length - b.length : codeAt(a, i) - codeAt(b, i);
}
