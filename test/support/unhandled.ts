import { setImmediate } from 'node:timers/promises';

/** Resolves when every rejection that nobody has caught by now would have been told to the process. */
export async function untilUnhandledAreTold(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await setImmediate();
}
