import type { OperationName } from './operations.js';
import { NAME } from './stage.js';
import { type Cell, type Column, read, TABLE } from './table.js';

/*
 * How the columns of other stores differ from the table, which is DynamoDB's: its verbs are one write each.
 */

/** The column for a store whose verbs are programs on the server. */
export function onServer(operation: OperationName): Column {
  return eachCell(withoutTakeover(TABLE[operation]), listedOneByOne);
}

const each = <C extends Readonly<Record<string, Cell>>>(cells: C, change: (cell: Cell) => Cell): C =>
  Object.fromEntries(Object.entries(cells).map(([kind, cell]) => [kind, change(cell)])) as C;

const eachCell = (column: Column, change: (cell: Cell) => Cell): Column => ({
  ...column,
  once: each(column.once, change),
  ever: each(column.ever, change),
});

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

/** A list also reads each lock that it has found. */
function listedOneByOne([told, requests, record]: Cell): Cell {
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
export function onDatabase(operation: OperationName): Column {
  const byRead = BY_READ[operation];
  if (byRead) return byRead;
  const column = withoutTakeover(TABLE[operation]);
  const refused = operation === 'cancel' ? eachCell(column, refusedByRead) : column;
  const { struck, once, ever } = refused;
  if (struck === 'get' || struck === 'list') return column;
  const cutShort = ([told, requests, record]: Cell): Cell => [
    told,
    // A read can be cut short, too: by the end of the budget, or by the client's own timeout.
    requests.replace(`${struck}+`, `${struck} (${struck}|read)*`),
    record,
  ];
  const shortened = each(ever, cutShort);
  if (AGAIN.test(struck)) return { ...refused, twice: once.unheard, ever: shortened };
  const found: Cell = [
    once.answered[0],
    once.unheard[1].replace(`${struck} ${struck}`, `${struck} read`),
    once.answered[2],
  ];
  return { ...column, once: { ...once, unheard: found }, twice: found, ever: { ...shortened, unheard: found } };
}
