import type { LockAdmin } from '../../admin/lock-admin.js';
import type { Clock, ClockBounds, LockStoreError } from '../../index.js';

/** The name of a lock that does not exist. Checks read this lock; they never create it. */
export const NOBODY = 'single-execution-doctor';

/** The result of one check of a store. */
export interface Finding {
  readonly check: string;
  /**
   * `problem`: locks are not safe, or do not work; `warning`: it may be intended; `unknown`: the check was not allowed.
   */
  readonly status: 'ok' | 'warning' | 'problem' | 'unknown';
  readonly found: string;
  readonly remedy?: string;
}

/** The locks of the store, and the clock of this host. */
export interface Examiner {
  readonly admin: LockAdmin;
  readonly clock: Clock;
}

export type Verdict = Omit<Finding, 'check'>;

export const ok = (found: string): Verdict => ({ status: 'ok', found });
export const warning = (found: string, remedy: string): Verdict => ({ status: 'warning', found, remedy });
export const problem = (found: string, remedy?: string): Verdict => ({
  status: 'problem',
  found,
  ...(remedy !== undefined && { remedy }),
});
export const unknown = (found: string, remedy: string): Verdict => ({ status: 'unknown', found, remedy });

/** Makes one check. If `at` rejects, `refused` gives the verdict. */
export async function look(
  check: string,
  at: () => Promise<Verdict>,
  refused: (error: unknown) => Verdict,
): Promise<Finding> {
  try {
    return { check, ...(await at()) };
  } catch (error) {
    return { check, ...refused(error) };
  }
}

/**
 * Reads a lock that does not exist, which checks the connection and the right to read. An error of a store says what to
 * do about it.
 *
 * @param remedies what else to do, by the code of the error
 */
export function lookByReading(
  { admin }: Examiner,
  check: string,
  found: string,
  remedies: Readonly<Record<string, string>> = {},
): Promise<Finding> {
  return look(
    check,
    async () => {
      await admin.get(NOBODY);
      return ok(found);
    },
    (error) => {
      const { message, code } = error as LockStoreError;
      return problem(message, remedies[code]);
    },
  );
}

const MOST_SKEW_MS = 1_000;

/** Compares this host's clock with the server's. */
export function clockVerdict({ minMs, maxMs }: ClockBounds): Verdict {
  if (minMs <= MOST_SKEW_MS && maxMs >= -MOST_SKEW_MS) return ok("this host's clock is right, to a second");
  const off = Math.round((minMs + maxMs) / 2);
  return warning(
    `this host's clock is ${Math.abs(off)} ms ${off > 0 ? 'behind' : 'ahead of'} the server's`,
    'set the clock of this host: lockAtLeastFor, pauses and the nearest tick are off by as much',
  );
}
