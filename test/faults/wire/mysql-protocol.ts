import type { Pool } from 'mysql2/promise';
import { type Conversation, frames, type Part, type Protocol } from './protocol.js';
import type { Statement } from './sql-request.js';
import type { Seen } from './wire.js';

/** Before each packet: its length in three bytes, and its number in an answer or a request. */
const HEADER_BYTES = 4;

const endOf = (data: Buffer) => (data.length < HEADER_BYTES ? undefined : HEADER_BYTES + data.readUIntLE(0, 3));
const bodyOf = (packet: Buffer) => packet.subarray(HEADER_BYTES);

/** Commands of a client, by their first byte. */
const QUERY = 0x03;
const PREPARE = 0x16;
const EXECUTE = 0x17;
/** Quit, long data, and the end of a prepared statement. */
const UNANSWERED = new Set([0x01, 0x18, 0x19]);

/** First bytes of answers. */
const OK = 0x00;
const END = 0xfe;
const ERROR = 0xff;

/** What a client and MariaDB agree on at the login. */
interface Agreed {
  /** Whether columns end without a packet of their own. */
  readonly endsPlainly: boolean;
  /** Whether the columns of a prepared statement come only once. */
  readonly keepsColumns: boolean;
}

/**
 * The protocol of MySQL and MariaDB, without TLS. A prepared statement is struck when it is run.
 *
 * @param pool ends the connections of others
 */
export function mysqlProtocol(pool: Pool, read: (statement: Statement) => Seen | undefined): Protocol {
  return {
    converse: () => conversation(pool, read),
    // A ping: each command has one answer.
    end: Buffer.from([1, 0, 0, 0, 0x0e]),
    refusal(code) {
      const body = Buffer.concat([Buffer.from([ERROR, 0, 0]), Buffer.from('#HY000by the fault proxy')]);
      body.writeUInt16LE(Number(code), 1);
      return Buffer.concat([Buffer.from([body.length, 0, 0, 1]), body]);
    },
  };
}

function conversation(pool: Pool, read: (statement: Statement) => Seen | undefined): Conversation {
  let connectionId = 0;
  let agreed: Agreed | undefined;
  let isLoggedIn = false;
  const texts = new Map<number, string>();
  /** The texts of statements that are being prepared. Empty for any other command, in the order of their answers. */
  const asked: (string | undefined)[] = [];
  let newest = '';
  const partOf = (bytes: Buffer): Part => {
    const body = bodyOf(bytes);
    if (!isLoggedIn) {
      agreed ??= agreementOf(body);
      return { bytes, isAsked: false };
    }
    const [command = 0] = body;
    if (UNANSWERED.has(command)) return { bytes, isAsked: false };
    const text = body.toString('utf8', 1);
    if (command === PREPARE) newest = text;
    asked.push(command === PREPARE ? text : undefined);
    return { bytes, isAsked: true, seen: read(statementOf(body, command, (id) => texts.get(id) ?? newest)) };
  };
  const answer = answers(
    () => agreed,
    (id) => texts.set(id, asked[0] ?? ''),
    () => asked.shift(),
  );
  const cutSent = frames(endOf);
  const cutReplied = frames(endOf);
  return {
    sent: (data) => cutSent(data).map(partOf),
    replied: (data) =>
      cutReplied(data).map((bytes) => {
        const body = bodyOf(bytes);
        if (isLoggedIn) return { bytes, isEnd: answer(body, asked[0] !== undefined) };
        // The first packet of a server: its protocol, its version, and the number of the connection.
        if (connectionId === 0) connectionId = body.readUInt32LE(body.indexOf(0) + 1);
        else isLoggedIn = body[0] === OK;
        return { bytes, isEnd: false };
      }),
    terminate: () => pool.query(`KILL ${connectionId}`),
  };
}

/** Reads the client's side of the login: the server is known to agree. */
function agreementOf(body: Buffer): Agreed {
  const isOfMariaDB = (body.readUInt32LE(0) & 1) === 0;
  return {
    endsPlainly: (body.readUInt32LE(0) & (1 << 24)) !== 0,
    keepsColumns: isOfMariaDB && (body.readUInt32LE(28) & (1 << 4)) !== 0,
  };
}

/** Makes a function that says whether a packet is the last one of its answer. */
function answers(
  agreement: () => Agreed | undefined,
  prepared: (id: number) => void,
  ended: () => void,
): (body: Buffer, isPreparing: boolean) => boolean {
  let left = 0;
  let hasRows = false;
  const end = () => {
    ended();
    return true;
  };
  return (body, isPreparing) => {
    const [first = 0] = body;
    if (left > 0) return --left === 0 && !hasRows ? end() : false;
    if (hasRows) {
      hasRows = first !== ERROR && !(first === END && body.length < 0xffffff);
      return hasRows ? false : end();
    }
    const { endsPlainly, keepsColumns } = agreement() ?? { endsPlainly: false, keepsColumns: false };
    const and = (count: number) => (count === 0 ? 0 : count + (endsPlainly ? 0 : 1));
    if (first === ERROR || (first === OK && !isPreparing)) return end();
    if (isPreparing) {
      prepared(body.readUInt32LE(1));
      left = and(body.readUInt16LE(5)) + and(body.readUInt16LE(7));
      return left === 0 ? end() : false;
    }
    hasRows = true;
    left = keepsColumns && body[1] === 0 ? 0 : and(first);
    return false;
  };
}

function statementOf(body: Buffer, command: number, textOf: (id: number) => string): Statement {
  if (command === QUERY) return { text: body.toString('utf8', 1), values: [] };
  if (command !== EXECUTE) return { text: '', values: [] };
  const text = textOf(body.readInt32LE(1));
  return { text, values: boundValues(body, text.split('?').length - 1) };
}

/** The values of a statement that is run: after its number, flags and count, which are NULL, their types, the values. */
function boundValues(body: Buffer, count: number): string[] {
  const typesAt = 10 + Math.ceil(count / 8) + 1;
  let at = typesAt + 2 * count;
  return Array.from({ length: count }, (_, n) => {
    const type = body[typesAt + 2 * n] ?? 0;
    const size = SIZES[type];
    if (size !== undefined) {
      at += size;
      return type === DOUBLE
        ? String(body.readDoubleLE(at - size))
        : String(body.readIntLE(at - size, Math.min(size, 6)));
    }
    const length = body[at] === 0xfc ? body.readUInt16LE(at + 1) : (body[at] ?? 0);
    const from = at + (body[at] === 0xfc ? 3 : 1);
    at = from + length;
    return body.toString('utf8', from, at);
  });
}

const DOUBLE = 0x05;
/** The bytes of numbers, by their type. Other values are texts with their length. */
const SIZES: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 4, [DOUBLE]: 8, 8: 8 };
