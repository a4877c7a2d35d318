import { ANOTHER } from '../record-text.js';
import type { Seen } from './wire.js';

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Reads a statement of a store over a database. @param during the verb that the library is running */
export function readStatement({ text, values }: Statement, during: string): Seen | undefined {
  if (text.startsWith('SELECT name, record')) return { verb: 'list', during };
  if (text.startsWith('SELECT l.name')) return { verb: during === 'get' ? 'get' : 'read', during };
  if (!/^(INSERT|UPDATE)/.test(text)) return undefined;
  if (during !== 'acquire') return { verb: during, during };
  const record = JSON.parse(String(values.find((value) => String(value).startsWith('{'))));
  const { state, lockedBy, attemptId, barredAttempt } = record;
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
