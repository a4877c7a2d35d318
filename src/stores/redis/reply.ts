import { type Item, isNumericAttribute, LOCK_ATTRIBUTES } from '../../core/record/lock-record.js';
import { describe } from '../../core/values/checks.js';

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
 * Reads a script's answer. Accepts only the listed words: clients invent answers, such as `{}` for an aborted call.
 *
 * @throws UnexpectedReply
 */
export function readReply<W extends string>(reply: unknown, words: readonly W[]): ScriptReply<W> {
  const [word, now, ownNumber, record] = listOf(reply);
  const [nowMs, number] = [countOf(now), countOf(ownNumber)];
  if (!words.includes(word as W) || nowMs === undefined || number === undefined) throw new UnexpectedReply(reply);
  return { word: word as W, nowMs, number, item: record === undefined ? undefined : itemOf(record, reply) };
}

/** @throws UnexpectedReply */
function itemOf(record: unknown, reply: unknown): Item | undefined {
  if (typeof record !== 'object' || record === null) throw new UnexpectedReply(reply);
  const isList = Array.isArray(record);
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

/** A page of names. */
export interface Page {
  /** The cursor of the next page. */
  readonly cursor: string;
  /** What the node says about itself in the cluster; empty for a Redis without a cluster. */
  readonly node: string;
  readonly names: readonly string[];
}

/** @throws UnexpectedReply */
export function readPage(reply: unknown): Page {
  const [word, cursor, node, ...names] = listOf(reply);
  if (word !== 'page' || typeof cursor !== 'string' || !/^\d+$/.test(cursor)) throw new UnexpectedReply(reply);
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (!isText(node) || !names.every(isText)) throw new UnexpectedReply(reply);
  return { cursor, node, names };
}

/** Reads the list in an answer. A client may have parsed the text of the answer already. */
function listOf(reply: unknown): unknown[] {
  const list = typeof reply === 'string' ? parsed(reply) : reply;
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
class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply';

  constructor(reply: unknown) {
    super(`the client answered with ${typeof reply === 'string' ? 'another text' : describe(reply)}`);
  }
}
