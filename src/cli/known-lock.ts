import type { LockAdmin, LockInfo } from '../admin/lock-admin.js';
import { CorruptLockError } from '../index.js';
import { notFound, quoted } from './exit-code.js';
import type { Session } from './session.js';

/** The name of the lock that the command line names. */
export function nameIn({ operands }: Session): string {
  return String(operands[0]);
}

/** The lock of a name, also if its record is corrupt; undefined if the store has no such lock. */
export async function findLock(admin: LockAdmin, name: string): Promise<LockInfo | undefined> {
  try {
    return await admin.get(name);
  } catch (error) {
    if (!(error instanceof CorruptLockError)) throw error;
    // A list shows the problem and the token of a corrupt lock.
    return (await admin.list()).find((lock) => lock.name === name);
  }
}

/** The lock that the command line names. @throws CliError if the store has no lock of this name */
export async function knownLock(session: Session): Promise<LockInfo> {
  const name = nameIn(session);
  const lock = await findLock(session.admin, name);
  if (lock) return lock;
  throw unknownLock(name);
}

export function unknownLock(name: string): Error {
  return notFound(`no lock ${quoted(name)}: it was never used, or is deleted; see single-execution ls`);
}
