import { setImmediate } from 'node:timers/promises';
import type { LockStoreError } from 'single-execution';
import { expect } from 'vitest';

/** Matches the error of a store by its code, and by words of its message. */
export const says = (code: string, words: string, more: object = {}): object => ({
  code,
  message: expect.stringContaining(words),
  ...more,
});

export function failureOf<E = LockStoreError>(promise: Promise<unknown>): Promise<E> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error) => error,
  );
}

/** Whether a promise has settled, for tests in which the clock stands still. */
export function settledOf(promise: Promise<unknown>): () => boolean {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  return () => settled;
}

/** Resolves when the process has been told of every rejection that nobody has caught so far. */
export async function untilUnhandledAreTold(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}
