import { setImmediate } from 'node:timers/promises';

export function failureOf<E>(promise: Promise<unknown>): Promise<E> {
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
