import { type Item, isNumericAttribute, LOCK_ATTRIBUTES } from '../../core/record/lock-record.js';

/**
 * A script's answer: a word, the server's time, a number that depends on the script, and the record if the script
 * returns one.
 */
export interface ScriptReply<W extends string> {
  readonly word: W;
  readonly nowMs: number;
  readonly number: number;
  /**
   * The record; undefined if the answer has no record, or an empty record. Numeric attributes are read as numbers if
   * possible.
   */
  readonly item: Item | undefined;
}

/**
 * Reads a script's answer. An answer is believed only if the script can have given it: three or four values, one of the
 * listed words, numbers as texts, and a record of texts. Clients invent other answers, and change answers.
 *
 * @throws UnexpectedReply, QueuedReply
 */
export function readReply<W extends string>(reply: unknown, words: readonly W[]): ScriptReply<W> {
  const list = listOf(reply);
  const [word, now, ownNumber, record] = list;
  const [nowMs, number] = [countOf(now), countOf(ownNumber)];
  const isKnown = words.includes(word as W) && list.length <= 4;
  if (!isKnown || nowMs === undefined || number === undefined) throw new UnexpectedReply(reply);
  return { word: word as W, nowMs, number, item: record === undefined ? undefined : itemOf(record, reply) };
}

/** @throws UnexpectedReply */
function itemOf(record: unknown, reply: unknown): Item | undefined {
  if (typeof record !== 'object' || record === null) throw new UnexpectedReply(reply);
  const isList = Array.isArray(record);
  if (isList && record.length > LOCK_ATTRIBUTES.length) throw new UnexpectedReply(reply);
  const item: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    if (isList && value === 0) continue;
    if (typeof value !== 'string') throw new UnexpectedReply(reply);
    const field = isList ? (LOCK_ATTRIBUTES[Number(key)] ?? '') : key;
    item[field] = isNumericAttribute(field) && /^\d+$/.test(value) ? Number(value) : value;
  }
  return Object.keys(item).length === 0 ? undefined : item;
}

function countOf(text: unknown): number | undefined {
  const count = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) ? count : undefined;
}

/** Reads a page of names, and the cursor of the next page. @throws UnexpectedReply, QueuedReply */
export function readPage(reply: unknown): { readonly cursor: string; readonly names: readonly string[] } {
  const [word, cursor, ...names] = listOf(reply);
  if (word !== 'page' || typeof cursor !== 'string' || !/^\d+$/.test(cursor)) throw new UnexpectedReply(reply);
  if (!names.every((name) => typeof name === 'string')) throw new UnexpectedReply(reply);
  return { cursor, names };
}

/** Reads the list in an answer. A client may return the text as bytes, or may have parsed it already. */
function listOf(reply: unknown): unknown[] {
  const text = ArrayBuffer.isView(reply) ? new TextDecoder().decode(reply as Uint8Array) : reply;
  if (text === 'QUEUED') throw new QueuedReply();
  const list = typeof text === 'string' ? parsed(text) : text;
  if (!Array.isArray(list)) throw new UnexpectedReply(reply);
  return list;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The client returned an answer that no script gives. The script may have run. */
export class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply';

  constructor(reply: unknown) {
    super(
      `the client answered with ${whatCame(reply)}, which no script of this library returns: pass a client of ioredis, node-redis or @upstash/redis itself, without a transform of its replies, or eval and evalsha of your own that return Redis's answer unchanged (to @upstash/redis pass signal as a function)`,
    );
  }
}

/** Redis has put the script into a transaction that somebody else began on this connection. It runs at `EXEC`. */
export class QueuedReply extends Error {
  override readonly name = 'QueuedReply';

  constructor() {
    super('the connection is inside a MULTI that this library did not begin: give the store a client of its own');
  }
}

/** Describes an answer without its contents, which may be anybody's data. */
function whatCame(reply: unknown): string {
  if (typeof reply === 'string') return reply === '' ? 'an empty text' : 'another text';
  if (reply === undefined || reply === null) return String(reply);
  if (ArrayBuffer.isView(reply)) return 'other bytes';
  if (!Array.isArray(reply)) return typeof reply === 'object' ? 'an object' : `a ${typeof reply}`;
  const hasNumbers = reply.some((value) => typeof value === 'number' || typeof value === 'bigint');
  return hasNumbers ? 'a list in which texts are numbers' : 'another list';
}
