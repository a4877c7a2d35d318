import type { FaultKind } from './faults.js';
import type { OperationName } from './operations.js';

/**
 * The results of a fault: what the caller is told, which requests are sent, which record is left. `verb+` is one
 * request or more. A word with `?` at its end may be missing: the end of the budget may cut the last of many tries
 * short, and then nobody knows whether it was applied.
 */
export type Cell = readonly [told: string, requests: string, record: string];

export interface Column {
  readonly struck: string;
  /** The results if only the first try of that verb is struck. */
  readonly once: Readonly<Record<FaultKind, Cell>>;
  /** What the caller is told if the request comes twice and its copy, which finds its effect, gets another answer. */
  readonly copied?: string;
  /** The results if the request comes twice and its copy is refused, so that the verb begins anew. */
  readonly twice?: Cell;
  /** The results if every try of that verb is struck. */
  readonly ever: Readonly<Record<Exclude<FaultKind, 'answered'>, Cell>>;
}

const UNAVAILABLE = 'LockStoreError UNAVAILABLE';
const UNSETTLED = 'LockStoreError UNSETTLED';
const DONE = 'released, of ours, tick done';
const OURS = 'held, of ours';
const THEIRS = 'held, of another';
const BARRED = `${THEIRS}, barred`;

export const TABLE: Readonly<Record<OperationName, Column>> = {
  'acquire, never held': {
    struck: 'acquire',
    once: once(['runs', 'acquire release', DONE], ['runs', 'acquire acquire release', DONE]),
    ever: {
      throttled: [UNAVAILABLE, 'acquire+ cancel?', 'no grant, barred?'],
      lost: [UNAVAILABLE, 'acquire+ cancel', 'no grant, barred'],
      unheard: ['runs', 'acquire+ cancel release', DONE],
    },
  },
  'acquire, given back': {
    struck: 'acquire',
    once: once(['runs', 'acquire release', DONE], ['runs', 'acquire acquire release', DONE]),
    ever: {
      throttled: [UNAVAILABLE, 'acquire+ cancel?', 'released, of another, tick done, barred?'],
      lost: [UNAVAILABLE, 'acquire+ cancel', 'released, of another, tick done, barred'],
      unheard: ['runs', 'acquire+ cancel release', DONE],
    },
  },
  'acquire, locked': {
    struck: 'acquire',
    once: once(
      ['skipped: locked', 'acquire', THEIRS],
      ['skipped: locked', 'acquire acquire', THEIRS],
      ['skipped: locked', 'acquire acquire cancel', BARRED],
    ),
    ever: {
      throttled: [UNAVAILABLE, 'acquire+ cancel?', `${BARRED}?`],
      lost: [UNAVAILABLE, 'acquire+ cancel', BARRED],
      unheard: [UNAVAILABLE, 'acquire+ cancel', BARRED],
    },
  },
  'acquire, tick done': {
    struck: 'acquire',
    once: once(
      ['skipped: already-executed', 'acquire', 'released, of another, tick done'],
      ['skipped: already-executed', 'acquire acquire', 'released, of another, tick done'],
    ),
    ever: {
      throttled: [UNAVAILABLE, 'acquire+ cancel?', 'released, of another, tick done, barred?'],
      lost: [UNAVAILABLE, 'acquire+ cancel', 'released, of another, tick done, barred'],
      unheard: [UNAVAILABLE, 'acquire+ cancel', 'released, of another, tick done, barred'],
    },
  },
  takeover: {
    struck: 'takeover',
    once: once(['runs', 'acquire takeover release', DONE], ['runs', 'acquire takeover takeover release', DONE]),
    ever: {
      throttled: [UNAVAILABLE, 'acquire takeover+ cancel?', `${BARRED}?`],
      lost: [UNAVAILABLE, 'acquire takeover+ cancel', BARRED],
      unheard: ['runs', 'acquire takeover+ cancel release', DONE],
    },
  },
  cancel: {
    struck: 'cancel',
    once: once(
      ['skipped: locked', 'acquire acquire cancel', BARRED],
      ['skipped: locked', 'acquire acquire cancel cancel', BARRED],
    ),
    ever: {
      throttled: [UNSETTLED, 'acquire acquire cancel+', THEIRS],
      lost: [UNSETTLED, 'acquire acquire cancel+', THEIRS],
      unheard: [UNSETTLED, 'acquire acquire cancel+', BARRED],
    },
  },
  extend: {
    struck: 'extend',
    once: once(
      ['extended', 'acquire extend', 'held, of ours, longer'],
      ['extended', 'acquire extend extend', 'held, of ours, longer'],
    ),
    ever: {
      throttled: [UNAVAILABLE, 'acquire extend+', 'held, of ours'],
      lost: [UNAVAILABLE, 'acquire extend+', 'held, of ours'],
      unheard: [UNAVAILABLE, 'acquire extend+', 'held, of ours, longer'],
    },
  },
  mark: write('acquire', 'mark', 'marked', OURS, `${OURS}, longer, tick done`),
  release: {
    struck: 'release',
    once: once(['runs', 'acquire release', DONE], ['runs', 'acquire release release', DONE]),
    ever: {
      throttled: ['runs, release unknown', 'acquire release+', 'held, of ours'],
      lost: ['runs, release unknown', 'acquire release+', 'held, of ours'],
      unheard: ['runs, release unknown', 'acquire release+', DONE],
    },
  },
  'release, lost': {
    struck: 'release',
    once: once(
      ['runs, release lost', 'acquire release', 'forced, of ours'],
      ['runs, release lost', 'acquire release release', 'forced, of ours'],
      ['runs, release unknown', 'acquire release release', 'forced, of ours'],
    ),
    ever: {
      throttled: ['runs, release unknown', 'acquire release+', 'forced, of ours'],
      lost: ['runs, release unknown', 'acquire release+', 'forced, of ours'],
      unheard: ['runs, release unknown', 'acquire release+', 'forced, of ours'],
    },
  },
  get: read('get', 'held', THEIRS),
  list: read('list', 'job', THEIRS),
  forceRelease: write('get', 'forceRelease', 'forced', THEIRS, 'forced, of another'),
  pause: write('', 'pause', 'paused', 'no grant', 'no grant, paused'),
  resume: { ...write('', 'resume', 'resumed', 'no grant, paused', 'no grant'), copied: 'not-paused' },
  // On DynamoDB, a delete first reads the lock.
  delete: write('get?', 'delete', 'deleted', 'released, of another, tick done', 'deleted, of ours'),
  backfill: write(
    'get',
    'listTicks',
    'listed',
    'released, of another, tick done',
    'released, of another, tick done, older one open',
  ),
  'check-in': write('', 'checkIn', 'first, second', 'no grant', 'no grant'),
};

/** The cells for a first try that is answered, that is known to have failed, and whose fate is unknown. */
function once(answered: Cell, throttled: Cell, silent = throttled): Column['once'] {
  return { answered, throttled, lost: silent, unheard: silent };
}

/** The column of an operation that only reads. @param struck the requests that are struck, if not all of that verb */
export function read(verb: string, told: string, record: string, struck = verb): Column {
  const again: Cell = [told, `${verb} ${verb}`, record];
  const silent: Cell = [UNAVAILABLE, `${verb}+`, record];
  return {
    struck,
    once: once([told, verb, record], again),
    ever: { throttled: silent, lost: silent, unheard: silent },
  };
}

/** The column of a write that may be applied twice. */
function write(first: string, verb: string, told: string, before: string, after: string): Column {
  const requests = (verbs: string) => `${first} ${verbs}`.trim();
  const again: Cell = [told, requests(`${verb} ${verb}`), after];
  return {
    struck: verb,
    once: once([told, requests(verb), after], again),
    ever: {
      throttled: [UNAVAILABLE, requests(`${verb}+`), before],
      lost: [UNAVAILABLE, requests(`${verb}+`), before],
      unheard: [UNAVAILABLE, requests(`${verb}+`), after],
    },
  };
}
