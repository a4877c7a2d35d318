import { type Item, isNumericAttribute } from '../../core/record/lock-record.js';
import { describe } from '../../core/values/describe.js';

/** What a script answered: a word, the server's time, a number of the script's own, and the record before. */
export interface ScriptReply<W extends string> {
  readonly word: W;
  readonly nowMs: number;
  readonly number: number;
  /** Undefined where there was no hash. Attributes that are numbers are read as such, where they can be. */
  readonly item: Item | undefined;
}

/** What each answer begins with: see scripts.ts. */
const MARK = '!';

/**
 * Reads a script's answer. Only the words that are listed are taken: clients invent answers, such as `{}` for a call
 * that was aborted.
 *
 * @throws UnexpectedReply
 */
export function readReply<W extends string>(reply: unknown, words: readonly W[]): ScriptReply<W> {
  const [word, now, number, ...fields] = linesOf(reply);
  const nowMs = countOf(now);
  const ownNumber = countOf(number);
  if (!words.includes(word as W) || nowMs === undefined || ownNumber === undefined || fields.length % 2 !== 0) {
    throw new UnexpectedReply(reply);
  }
  const item: Record<string, unknown> = {};
  for (let i = 0; i < fields.length; i += 2) {
    const [field = '', value = ''] = [fields[i], fields[i + 1]];
    item[field] = isNumericAttribute(field) && /^\d+$/.test(value) ? Number(value) : value;
  }
  return {
    word: word as W,
    nowMs,
    number: ownNumber,
    item: fields.length === 0 ? undefined : item,
  };
}

function countOf(line: string | undefined): number | undefined {
  const count = line !== undefined && /^\d+$/.test(line) ? Number(line) : Number.NaN;
  return Number.isSafeInteger(count) ? count : undefined;
}

/** A page of names: the cursor of the next, and the names. @throws UnexpectedReply */
export function readPage(reply: unknown): { readonly cursor: string; readonly names: readonly string[] } {
  const [word, cursor, ...names] = linesOf(reply);
  if (word !== 'page' || cursor === undefined || !/^\d+$/.test(cursor)) throw new UnexpectedReply(reply);
  return { cursor, names };
}

function linesOf(reply: unknown): string[] {
  if (typeof reply !== 'string' || !reply.startsWith(MARK)) throw new UnexpectedReply(reply);
  return reply
    .slice(MARK.length)
    .split('\n')
    .map((line) => (line.includes('%') ? line.replaceAll('%0A', '\n').replaceAll('%25', '%') : line));
}

/** The client returned what no script answers. Whether the script ran is not known. */
class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply';

  constructor(reply: unknown) {
    super(`the client answered with ${typeof reply === 'string' ? 'another text' : describe(reply)}`);
  }
}
