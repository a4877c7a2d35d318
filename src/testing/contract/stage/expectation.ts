import type { AcquireResult, Lease, RefusalReason, Refused } from '../../../core/ports/lock-store.js';
import { isError } from '../../../core/values/thrown.js';

/*
 * The expectations of the contract. They import no test runner. They throw an Error with `expected` and `actual`, which
 * runners show as a difference.
 */

/** @throws Error unless both are the same value; `NaN` equals itself */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (!Object.is(actual, expected)) fail(actual, expected, what);
}

/** @throws Error unless each of the expected fields is the same; other fields are ignored */
export function expectFields<T extends object>(
  actual: T | undefined,
  expected: { readonly [field in keyof T]?: T[field] | undefined },
  what: string,
): void {
  if (actual === undefined) fail(actual, expected, what);
  for (const field of Object.keys(expected) as (keyof T & string)[]) {
    expectSame(actual[field], expected[field], `${what}: ${field}`);
  }
}

/** @throws Error unless min <= actual <= max */
export function expectBetween(actual: number | undefined, min: number, max: number, what: string): void {
  if (actual === undefined || !(actual >= min && actual <= max)) fail(actual, `${min} to ${max}`, what);
}

/** @throws Error unless each number is greater than the number before it */
export function expectRising(numbers: readonly number[], what: string): void {
  const rises = numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? Number.NaN));
  if (!rises) fail(numbers, 'each greater than the one before', what);
}

/** @throws Error unless the lock was granted */
export function expectGranted(result: AcquireResult, what: string): Lease {
  if (result.status !== 'acquired') fail(result, 'acquired', what);
  return result.lease;
}

/** @throws Error unless the lock was refused for this reason */
export function expectRefused(result: AcquireResult, reason: RefusalReason, what: string): Refused {
  if (result.status !== 'refused') fail(result, `refused: ${reason}`, what);
  expectSame(result.reason, reason, `${what}: reason of the refusal`);
  return result;
}

/** @throws Error unless the promise rejects with an error that has these fields */
export async function expectRejection(
  promise: Promise<unknown>,
  expected: Readonly<Record<string, unknown>>,
  what: string,
): Promise<void> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('value' in outcome) fail(outcome.value, expected, `${what}: must reject`);
  expectFields(outcome.error as Record<string, unknown>, expected, what);
}

function fail(actual: unknown, expected: unknown, what: string): never {
  const error = new Error(`${what}: expected ${show(expected)}, got ${show(actual)}`);
  throw Object.assign(error, { actual, expected });
}

function show(value: unknown): string {
  if (isError(value)) return `${value.name}: ${value.message}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
