import { ANOTHER } from '../record-text.js';
import type { Seen } from './wire.js';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Reads a statement of a store over a database. @param during the verb that the library is running */
export function readStatement({ text, values }: Statement, during: string): Seen | undefined {
  if (/^SELECT (HEX\(CONVERT\()?name\b/.test(text)) return { verb: 'list', during };
  if (/^SELECT (HEX\(coalesce\(CONVERT\()?l\.name\b/.test(text))
    return { verb: during === 'get' ? 'get' : 'read', during };
  if (!/^(INSERT|UPDATE)/.test(text)) return undefined;
  const record = values.find((value) => String(value).startsWith('{'));
  // The empty row that is made first in MySQL.
  if (record === undefined) return undefined;
  if (during !== 'acquire') return { verb: during, during };
  const { state, lockedBy, attemptId, barredAttempt } = JSON.parse(String(record));
  const isGrant = state === 'held' && lockedBy !== ANOTHER;
  return { verb: isGrant ? 'acquire' : 'cancel', during, attempt: isGrant ? attemptId : barredAttempt };
}

/** Writes a read and the write that follows it as one word: the verb. */
export function verbsOf(seen: readonly Seen[]): string[] {
  return seen.flatMap(({ verb, during }, at) => {
    const next = seen[at + 1];
    const isFollowed = verb === 'read' && next !== undefined && next.verb !== 'read' && next.during === during;
    return isFollowed ? [] : [verb];
  });
}
