import type { ClockBounds } from '../../core/ports/lock-store.js';
import { errorName, readThrownText } from '../../core/public/errors.js';

/** What one look at a store has found. */
export interface Finding {
  readonly check: string;
  /** `problem`: locks are not safe, or do not work; `warning`: see whether it is meant; `unknown`: it may not look. */
  readonly status: 'ok' | 'warning' | 'problem' | 'unknown';
  readonly found: string;
  readonly remedy?: string;
}

export type Verdict = Omit<Finding, 'check'>;

export const ok = (found: string): Verdict => ({ status: 'ok', found });
export const warning = (found: string, remedy: string): Verdict => ({ status: 'warning', found, remedy });
export const problem = (found: string, remedy: string): Verdict => ({ status: 'problem', found, remedy });
export const unknown = (found: string, remedy: string): Verdict => ({ status: 'unknown', found, remedy });

/** Makes one look. What it throws is for `refused` to judge. */
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

/** What was thrown, by its name or the system's code: its message may hold what nobody should see. */
export function nameOfThrown(error: unknown): string {
  return readThrownText(error, 'code') || errorName(error);
}

const MOST_SKEW_MS = 1_000;

/** How this host's clock stands to the server's. */
export function clockVerdict({ minMs, maxMs }: ClockBounds): Verdict {
  if (minMs <= MOST_SKEW_MS && maxMs >= -MOST_SKEW_MS) return ok("this host's clock is right, to a second");
  const off = Math.round((minMs + maxMs) / 2);
  return warning(
    `this host's clock is ${Math.abs(off)} ms ${off > 0 ? 'behind' : 'ahead of'} the server's`,
    'set the clock of this host: lockAtLeastFor, pauses and the nearest tick are off by as much',
  );
}
