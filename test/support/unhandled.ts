import { setImmediate } from 'node:timers/promises';

/** Resolves when the process has been told of every rejection that nobody has caught so far. */
export async function untilUnhandledAreTold(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}
