import { type Item, isNumericAttribute, LOCK_ATTRIBUTES } from '../../core/record/lock-record.js';
import { shapeOf, UnexpectedAnswer } from '../../core/request/unexpected-answer.js';

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
 * @throws UnexpectedAnswer, QueuedReply
 */
export function readReply<W extends string>(reply: unknown, words: readonly W[]): ScriptReply<W> {
  const list = listOf(reply);
  const [word, now, ownNumber, record] = list;
  const [nowMs, number] = [countOf(now), countOf(ownNumber)];
  const isKnown = words.includes(word as W) && list.length <= 4;
  if (!isKnown || nowMs === undefined || number === undefined) throw unexpected(reply);
  return { word: word as W, nowMs, number, item: record === undefined ? undefined : itemOf(record, reply) };
}

/** @throws UnexpectedAnswer */
function itemOf(record: unknown, reply: unknown): Item | undefined {
  if (typeof record !== 'object' || record === null) throw unexpected(reply);
  const isList = Array.isArray(record);
  if (isList && record.length > LOCK_ATTRIBUTES.length) throw unexpected(reply);
  const item: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(record)) {
    if (isList && value === 0) continue;
    if (typeof value !== 'string') throw unexpected(reply);
    const field = isList ? (LOCK_ATTRIBUTES[Number(key)] ?? '') : key;
    item[field] = isNumericAttribute(field) && /^\d+$/.test(value) ? Number(value) : value;
  }
  return Object.keys(item).length === 0 ? undefined : item;
}

function countOf(text: unknown): number | undefined {
  const count = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) ? count : undefined;
}

/** A page of names. */
export interface Page {
  /** The cursor of the next page. */
  readonly cursor: string;
  /** What the node says about itself in the cluster; empty for a Redis without a cluster. */
  readonly node: string;
  readonly names: readonly string[];
}

/** Reads a page of names, and the cursor of the next page. @throws UnexpectedAnswer, QueuedReply */
export function readPage(reply: unknown): Page {
  const [word, cursor, node, ...names] = listOf(reply);
  if (word !== 'page' || typeof cursor !== 'string' || !/^\d+$/.test(cursor)) throw unexpected(reply);
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (!isText(node) || !names.every(isText)) throw unexpected(reply);
  return { cursor, node, names };
}

/** Reads the list in an answer. A client may return the text as bytes, or may have parsed it already. */
function listOf(reply: unknown): unknown[] {
  const text = ArrayBuffer.isView(reply) ? new TextDecoder().decode(reply as Uint8Array) : reply;
  if (text === 'QUEUED') throw new QueuedReply();
  const list = typeof text === 'string' ? parsed(text) : text;
  if (!Array.isArray(list)) throw unexpected(reply);
  return list;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes the error of an answer that no script gives. The script may have run. */
function unexpected(reply: unknown): UnexpectedAnswer {
  return new UnexpectedAnswer(
    `the client answered with ${shapeOfReply(reply)}, which no script of this library returns: pass a client of ioredis, node-redis or @upstash/redis itself, without a transform of its replies, or eval and evalsha of your own that return Redis's answer unchanged (to @upstash/redis pass signal as a function)`,
  );
}

function shapeOfReply(reply: unknown): string {
  if (ArrayBuffer.isView(reply)) return 'other bytes';
  const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
  return shapeOf(reply) + (Array.isArray(reply) && reply.some(isNumber) ? ', numbers among them' : '');
}

/** Redis has put the script into a transaction that somebody else began on this connection. It runs at `EXEC`. */
export class QueuedReply extends Error {
  override readonly name = 'QueuedReply';

  constructor() {
    super('the connection is inside a MULTI that this library did not begin: pass the store a client of its own');
  }
}
