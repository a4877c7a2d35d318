import type { LockAdmin, LockInfo } from '../admin/lock-admin.js';
import { CorruptLockError } from '../core/public/errors.js';
import { describe } from '../core/values/checks.js';
import { notFound } from './exit-code.js';

/** The name of a lock that is looked for; it is neither found nor created. */
export const NOBODY = 'single-execution-doctor';

/** The lock of a name, also if its record is corrupt; undefined if the store has none. */
export async function findLock(admin: LockAdmin, name: string): Promise<LockInfo | undefined> {
  try {
    return await admin.get(name);
  } catch (error) {
    if (!(error instanceof CorruptLockError)) throw error;
    // A list shows the problem and the token of a corrupt lock.
    return (await admin.list()).find((lock) => lock.name === name);
  }
}

/** @throws CliError if the store has no lock of this name */
export async function knownLock(admin: LockAdmin, name: string): Promise<LockInfo> {
  const lock = await findLock(admin, name);
  if (lock) return lock;
  throw unknownLock(name);
}

export function unknownLock(name: string): Error {
  return notFound(`no lock ${describe(name)}: it was never used, or is deleted; see single-execution ls`);
}
