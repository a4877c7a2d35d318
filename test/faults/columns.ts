import type { OperationName } from './operations.js';
import { NAME } from './stage.js';
import type { Way } from './stages.js';
import { type Cell, type Column, read, TABLE } from './table.js';

/*
 * The table of each way. It is DynamoDB's, whose verbs are one write each, except for what a store can do better or
 * cannot suffer.
 */

/** The column of an operation; undefined if the operation cannot be struck on this way. */
export function columnOn(way: Way, operation: OperationName): Column | undefined {
  const column = TABLE[operation];
  switch (way) {
    case 'DynamoDB':
      return column;
    case 'Redis':
    case 'Upstash':
    case 'Durable Objects':
      return eachCell(withoutTakeover(column), listedOnRedis);
    case 'Postgres':
    case 'libSQL':
    case 'Azure':
      return onDatabase(operation, withoutTakeover(column));
    default:
      // A cancel follows a write without an answer. A file always answers.
      return operation === 'cancel' ? undefined : onDatabase(operation, withoutTakeover(column));
  }
}

function eachCell({ once, ever, ...column }: Column, change: (cell: Cell) => Cell): Column {
  const { answered, throttled, lost, unheard } = once;
  return {
    ...column,
    once: { answered: change(answered), throttled: change(throttled), lost: change(lost), unheard: change(unheard) },
    ever: { throttled: change(ever.throttled), lost: change(ever.lost), unheard: change(ever.unheard) },
  };
}

/** Elsewhere than on DynamoDB, a takeover is an acquire. */
function withoutTakeover(column: Column): Column {
  if (column.struck !== 'takeover') return column;
  const asAcquire = ([told, requests, record]: Cell): Cell => [
    told,
    requests.slice('acquire '.length).replaceAll('takeover', 'acquire'),
    record,
  ];
  return { ...eachCell(column, asAcquire), struck: 'acquire' };
}

/** On Redis and with Durable Objects, a list also reads each lock that it has found. */
function listedOnRedis([told, requests, record]: Cell): Cell {
  return told === NAME && requests.startsWith('list') ? [told, 'list+ get', record] : [told, requests, record];
}

/** Operations that are decided by a read alone: nothing is written, so nothing is cancelled and nothing is unknown. */
const BY_READ: Partial<Readonly<Record<OperationName, Column>>> = {
  'acquire, locked': read('read', 'skipped: locked', 'held, of another', 'read of acquire'),
  'acquire, tick done': read('read', 'skipped: already-executed', 'released, of another, tick done', 'read of acquire'),
  'release, lost': lostRelease(),
};

function lostRelease(): Column {
  const record = 'forced, of ours';
  const again: Cell = ['runs, release lost', 'acquire read read', record];
  const silent: Cell = ['runs, release unknown', 'acquire read+', record];
  return {
    struck: 'read of release',
    once: { answered: ['runs, release lost', 'acquire read', record], throttled: again, lost: again, unheard: again },
    ever: { throttled: silent, lost: silent, unheard: silent },
  };
}

/** The second acquire only reads, because another has the lock by then. */
function refusedByRead([told, requests, record]: Cell): Cell {
  return [told, requests.replace('acquire acquire', 'acquire read'), record];
}

/** Verbs that write again although the record shows that they were applied. */
const AGAIN = /^(cancel|extend|mark|pause|checkIn)$/;

/**
 * The column for a database. Each try reads before it writes, so it finds a write of which nobody heard, and need not
 * repeat it.
 */
function onDatabase(operation: OperationName, column: Column): Column {
  const byRead = BY_READ[operation];
  if (byRead) return byRead;
  const refused = operation === 'cancel' ? eachCell(column, refusedByRead) : column;
  const { struck, once, ever } = refused;
  if (struck === 'get' || struck === 'list') return column;
  const cutShort = ([told, requests, record]: Cell): Cell => [
    told,
    // A read can be cut short, too: by the end of the budget, or by the client's own timeout.
    requests.replace(`${struck}+`, `${struck} (${struck}|read)*`),
    record,
  ];
  const { throttled, lost, unheard } = ever;
  const shortened = { throttled: cutShort(throttled), lost: cutShort(lost), unheard: cutShort(unheard) };
  if (AGAIN.test(struck)) return { ...refused, twice: once.unheard, ever: shortened };
  const found: Cell = [
    once.answered[0],
    once.unheard[1].replace(`${struck} ${struck}`, `${struck} read`),
    once.answered[2],
  ];
  return { ...column, once: { ...once, unheard: found }, twice: found, ever: { ...shortened, unheard: found } };
}
