import fc from 'fast-check';
import { CorruptLockError, LockStoreError } from 'single-execution';
import { isRecordAttribute } from '../../src/core/record/lock-record.js';
import type { Fields } from './backends/backend.js';
import { anyText } from './hostile-values.js';

/*
 * Records as somebody may leave them who writes to the database without the store.
 */

export const MINUTE = 60_000;

/** Every field of a record, and rows of its history. */
export const FIELDS = [
  ...['attemptId', 'fencingToken', 'state', 'lockedAt', 'lockUntil', 'leaseMs', 'lockedBy', 'tick', 'doneTick', 'v'],
  ...['barredAttempt', 'barredAttempts', 'pausedUntil', 'pausedBy', 'result', 'releasedAt', 'error', 'r0', 'runSeq'],
  ...['openTicks', 'failedTicks'],
] as const;

/** A correct record of a lock that a live holder has, or of a free lock. */
export function soundRecord(isHeld: boolean): Fields {
  const now = Date.now();
  const fields: [string, string | number][] = [
    ['attemptId', 'a-holder'],
    ['fencingToken', now - 5 * MINUTE],
    ['state', isHeld ? 'held' : 'released'],
    ['lockedAt', now - 5 * MINUTE],
    ['lockUntil', isHeld ? now + 10 * MINUTE : now - MINUTE],
    ['leaseMs', 15 * MINUTE],
    ['lockedBy', 'the holder'],
    ['v', 1],
  ];
  return new Map(fields);
}

const anyNumber = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, min: -1e100, max: 1e100 }).filter((n) => n === 0 || Math.abs(n) > 1e-100),
  fc.constantFrom(0, -1, 0.5, 1e12, 1e14, 1e14 - 1, 1e100, 1_767_225_600, 1.7e15),
  fc.constantFrom(2 ** 53 - 2, 2 ** 53 - 1, 2 ** 53),
);
const anyWords = fc.oneof(
  anyText.filter((text) => text.length < 300),
  fc.constantFrom('held', 'released', 'forced', 'inf', '-inf', 'nan', '0x10', '1e300', '-5', '007', '9'.repeat(400)),
  fc.constantFrom(',', ',mjuohs00,', ',mjuohs00,mjuohs00', ',zzzzzzzzzzzz,-mjuohs00,MJUOHS00,', ','.repeat(300)),
  fc.constantFrom('s|||0|0', 's|zzzzzzzzzzzz|zzzzzzzzzzzz|0|zzzzzzzzzzzzzzzz', 'c||1||1'),
);

/** A field of a record, with a value that may not belong there. */
export const anyField: fc.Arbitrary<readonly [string, string | number]> = fc.tuple(
  fc.constantFrom(...FIELDS, '__proto__', 'constructor'),
  fc.oneof(anyNumber, anyWords, anyWords),
);

/** A correct record, but some fields have other values, and one may be missing. */
export interface AnyRecord {
  readonly isHeld: boolean;
  readonly set: readonly (readonly [string, string | number])[];
  readonly missing: readonly string[];
}

export const anyRecord: fc.Arbitrary<AnyRecord> = fc.record({
  isHeld: fc.boolean(),
  set: fc.array(anyField, { maxLength: 3 }),
  missing: fc.subarray([...FIELDS], { maxLength: 1 }),
});

/** The fields of a record. Made when it is needed, because its instants count from now. */
export function fieldsOf({ isHeld, set, missing }: AnyRecord): Fields {
  const fields = new Map([...soundRecord(isHeld), ...set]);
  for (const field of missing) fields.delete(field);
  return fields;
}

/** The result of a verb in a word. @throws what the verb rejected with, if it is no error of this library */
export async function verdictOf(verb: Promise<unknown>): Promise<string> {
  try {
    const value = (await verb) as { readonly status?: string; readonly reason?: string } | string | undefined;
    return typeof value === 'object' ? `${value.reason ?? value.status}` : String(value);
  } catch (error) {
    if (error instanceof CorruptLockError && isRecordAttribute(error.attribute)) return `corrupt ${error.attribute}`;
    if (error instanceof LockStoreError) return `${error.name} ${error.code}`;
    throw error;
  }
}
