import type { Pool } from 'pg';
import { type Conversation, frames, type Part, type Protocol } from './protocol.js';
import type { Statement } from './sql-request.js';
import type { Seen } from './wire.js';

/** A message's type is one byte, before its length. The first message of a client has no type. */
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

const lengthAt = (data: Buffer, at: number) =>
  data.length < at + LENGTH_BYTES ? undefined : at + data.readInt32BE(at);

/**
 * Postgres's own protocol. A statement is everything that a client sends before it asks for an answer.
 *
 * @param pool ends the connections of others
 */
export function postgresProtocol(pool: Pool, read: (statement: Statement) => Seen | undefined): Protocol {
  return {
    converse: () => conversation(pool, read),
    // A client may have sent the text of the statement before its values.
    end: message('S', Buffer.alloc(0)),
    refusal: (code) => {
      const fields = ['SERROR', 'VERROR', `C${code}`, 'Mby the fault proxy', ''].map((field) => `${field}\0`).join('');
      return Buffer.concat([message('E', Buffer.from(fields)), message('Z', Buffer.from('I'))]);
    },
  };
}

function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(LENGTH_BYTES + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

function conversation(pool: Pool, read: (statement: Statement) => Seen | undefined): Conversation {
  let isStarted = false;
  let pid = 0;
  let text = '';
  let values: string[] = [];
  let collected: Buffer[] = [];
  let isRun = false;
  const cutSent = frames((data) => {
    if (isStarted) return lengthAt(data, TYPE_BYTES);
    const length = lengthAt(data, 0);
    if (length !== undefined && length <= data.length) isStarted = true;
    return length;
  });
  let isFirst = true;
  const partOf = (bytes: Buffer): Part | undefined => {
    const type = isFirst ? '' : String.fromCharCode(bytes[0] ?? 0);
    isFirst = false;
    if (type === 'P') text = parsedText(bytes);
    if (type === 'Q') [text, values] = [texts(bytes, TYPE_BYTES + LENGTH_BYTES, 1)[0] ?? '', []];
    if (type === 'B') values = boundValues(bytes);
    if (type === 'E' || type === 'Q') isRun = true;
    collected.push(bytes);
    if (/^[PBDEC]$/.test(type)) return undefined;
    const whole = Buffer.concat(collected);
    collected = [];
    const isAsked = type === 'S' || type === 'Q';
    // After an error, postgres.js asks once more for the end, without a statement.
    const seen = isAsked && isRun ? read({ text, values }) : undefined;
    isRun = false;
    return { bytes: whole, isAsked, seen };
  };
  const cutReplied = frames((data) => lengthAt(data, TYPE_BYTES));
  return {
    sent: (data) => cutSent(data).flatMap((bytes) => partOf(bytes) ?? []),
    replied: (data) =>
      cutReplied(data).map((bytes) => {
        const type = String.fromCharCode(bytes[0] ?? 0);
        if (type === 'K') pid = bytes.readInt32BE(TYPE_BYTES + LENGTH_BYTES);
        return { bytes, isEnd: type === 'Z' };
      }),
    terminate: () => pool.query('SELECT pg_terminate_backend($1)', [pid]),
  };
}

/** Reads texts that end with a zero. @param count how many */
function texts(bytes: Buffer, from: number, count: number): string[] {
  return bytes.subarray(from).toString().split('\0').slice(0, count);
}

/** Parse: the statement's name, its text. */
const parsedText = (bytes: Buffer) => texts(bytes, TYPE_BYTES + LENGTH_BYTES, 2)[1] ?? '';

/** Bind: two names, the formats of the values, the values. All values are texts. */
function boundValues(bytes: Buffer): string[] {
  let at = TYPE_BYTES + LENGTH_BYTES;
  for (let names = 0; names < 2; names++) at = bytes.indexOf(0, at) + 1;
  at += 2 + 2 * bytes.readInt16BE(at);
  const values: string[] = [];
  const count = bytes.readInt16BE(at);
  at += 2;
  for (let n = 0; n < count; n++) {
    const length = Math.max(0, bytes.readInt32BE(at));
    at += LENGTH_BYTES;
    values.push(bytes.toString('utf8', at, at + length));
    at += length;
  }
  return values;
}
