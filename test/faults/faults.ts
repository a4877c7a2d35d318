import { azureError } from '../support/backends/azure.js';
import { type Fault, throttle } from '../support/fault-proxy.js';
import type { AnyFault } from './routes/route.js';
import type { Way } from './stages.js';
import type { TcpFault } from './wire/tcp-wire.js';

/**
 * What the caller can know after a fault. `answered`: everything, although the answer is late, the request came twice,
 * or the Date header is a second old. `throttled`: nothing was applied. `lost` and `unheard`: nothing is known; a
 * `lost` request was not applied, an `unheard` one was.
 */
export type FaultKind = 'answered' | 'throttled' | 'lost' | 'unheard';

export interface FaultRow {
  readonly title: string;
  readonly kind: FaultKind;
  readonly fault: AnyFault;
  /** How long the caller waits at least before it can know of the fault: milliseconds, or the timeout of a try. */
  readonly atLeastMs?: number | 'try';
  /** Whether the fault is also played on every try, and not only on the first. */
  readonly ever?: true;
  /** The number in docs/faults.md of this fault when it strikes an acquire. */
  readonly failure?: string;
}

const SLOW_MS = 200;
/** Longer than any try waits. */
const TOO_SLOW_MS = 2_000;

const PAGE = '<html><body>Bad gateway</body></html>';

type More = Pick<FaultRow, 'atLeastMs' | 'ever'>;
type At<F> = F extends { readonly at: unknown } ? Omit<F, 'at'> : never;
/** A fault that can strike a request before or after it is applied. */
type StruckFault = At<Fault> | At<TcpFault>;

/** A fault that strikes a request before it is applied. */
function lost(title: string, fault: StruckFault, more: More = {}): FaultRow {
  return { title, kind: 'lost', fault: { ...fault, at: 'before' } as AnyFault, ...more };
}

/**
 * A fault that strikes a request after it was applied. `failure` is its number in docs/faults.md when it strikes an
 * acquire.
 */
function unheard(title: string, fault: StruckFault, more: More & Pick<FaultRow, 'failure'> = {}): FaultRow {
  return { title, kind: 'unheard', fault: { ...fault, at: 'after' } as AnyFault, ...more };
}

/** Two rows for an error that does not say whether the request was applied. */
const eitherWay = (title: string, fault: StruckFault, more: Pick<FaultRow, 'failure'> = {}): FaultRow[] => [
  lost(`${title}, not applied`, fault),
  unheard(`${title}, applied`, fault, more),
];

const NETWORK: readonly FaultRow[] = [
  { title: 'answer 0.2 s late', kind: 'answered', fault: { kind: 'delay', ms: SLOW_MS }, atLeastMs: SLOW_MS },
  { title: 'request applied twice', kind: 'answered', fault: { kind: 'duplicate' } },
  lost('request lost, connection closed', { kind: 'close' }),
  lost('request lost, connection reset', { kind: 'reset' }, { ever: true }),
  lost('request lost, nothing said', { kind: 'hang' }, { atLeastMs: 'try', ever: true }),
  unheard('answer lost, connection closed', { kind: 'close' }),
  unheard('answer lost, connection reset', { kind: 'reset' }, { failure: 'F1', ever: true }),
  unheard('answer lost, nothing said', { kind: 'hang' }, { failure: 'F3', atLeastMs: 'try', ever: true }),
  {
    title: 'answer later than its timeout',
    kind: 'unheard',
    fault: { kind: 'delay', ms: TOO_SLOW_MS },
    atLeastMs: 'try',
  },
  { title: 'answer broken off', kind: 'unheard', fault: { kind: 'cut' } },
  { title: 'request lost, connection reset, and applied after the call', kind: 'lost', fault: { kind: 'late' } },
];

/** What gateways answer. */
const HTTP: readonly FaultRow[] = [
  ...NETWORK,
  ...eitherWay('status 502', { kind: 'answer', status: 502, text: PAGE }),
  ...eitherWay('status 200 and no answer', { kind: 'answer', status: 200, text: PAGE }),
  ...eitherWay('status 200 and an empty answer', { kind: 'answer', status: 200, text: '' }),
];

const OVER_CAPACITY = JSON.stringify({ error: 'ERR max requests limit exceeded. Limit: 10000, Usage: 10000.' });
const FAILED = JSON.stringify({ error: 'ERR internal error' });
/** The answer of a server of libSQL to a statement, after which it closes the stream. */
const BUSY = JSON.stringify({
  baton: null,
  base_url: null,
  results: [
    { type: 'error', error: { message: 'database is locked', code: 'SQLITE_BUSY' } },
    { type: 'ok', response: { type: 'close' } },
  ],
});
/** What the Worker of the tests passes on of the platform's errors. */
const OVERLOADED = JSON.stringify({ message: 'Durable Object is overloaded.', overloaded: true, remote: true });
const RESET = JSON.stringify({ message: 'Durable Object reset because its code was updated.', remote: true });
const EXCEEDED = 'ProvisionedThroughputExceededException';
/** Another region was writing to the same item. */
const CONFLICT = 'ReplicatedWriteConflictException';

/** A refusal that proves that the request was not applied. */
const throttled = (title: string, fault: AnyFault, ever: Pick<FaultRow, 'ever'> = {}): FaultRow => {
  return { title, failure: 'F17', kind: 'throttled', fault, ...ever };
};

/** A refusal in the protocol of a database, with one of its codes. */
const refusedBy = (text: string): AnyFault => ({ kind: 'refusal', at: 'before', text });

/** The rows of each way: faults that can happen on any of its kind, and faults of this one only. */
export const FAULTS: Readonly<Record<Way, readonly FaultRow[]>> = {
  DynamoDB: [
    ...HTTP,
    { title: 'Date header of the second before', kind: 'answered', fault: 'stale date' },
    throttled('ThrottlingException', throttle, { ever: true }),
    throttled(EXCEEDED, { kind: 'error', at: 'before', status: 400, type: EXCEEDED }),
    { ...lost(CONFLICT, { kind: 'error', status: 400, type: CONFLICT }), failure: 'F78' },
    ...eitherWay('status 500', { kind: 'error', status: 500, type: 'InternalServerError' }, { failure: 'F2' }),
    ...eitherWay('status 503', { kind: 'error', status: 503, type: 'ServiceUnavailable' }, { failure: 'F2' }),
  ],
  Redis: [
    ...NETWORK,
    throttled('BUSY', refusedBy('BUSY by the fault proxy'), { ever: true }),
    throttled('READONLY', refusedBy('READONLY by the fault proxy')),
    throttled('OOM', refusedBy('OOM by the fault proxy')),
  ],
  Upstash: [
    ...HTTP,
    throttled('status 429', { kind: 'answer', at: 'before', status: 429, text: OVER_CAPACITY }, { ever: true }),
    ...eitherWay('status 500 and ERR', { kind: 'answer', status: 500, text: FAILED }, { failure: 'F2' }),
  ],
  Postgres: [
    ...NETWORK,
    throttled('SQLSTATE 55P03', refusedBy('55P03'), { ever: true }),
    ...['40001', '40P01', '53300', '57014', '57P03', '25006'].map((code) =>
      throttled(`SQLSTATE ${code}`, refusedBy(code)),
    ),
    ...eitherWay('SQLSTATE 08P01 of a pooler', { kind: 'refusal', text: '08P01' }, { failure: 'F2' }),
    ...eitherWay('connection ended by the server, SQLSTATE 57P01', { kind: 'terminate' }, { failure: 'F2' }),
  ],
  MySQL: [
    ...NETWORK,
    throttled('error 1205', refusedBy('1205'), { ever: true }),
    ...['1213', '1040', '1290', '1317', '1969', '3024'].map((code) => throttled(`error ${code}`, refusedBy(code))),
    ...eitherWay('error 1053, the server goes down', { kind: 'refusal', text: '1053' }, { failure: 'F2' }),
    ...eitherWay('connection killed by the server', { kind: 'terminate' }, { failure: 'F2' }),
  ],
  libSQL: [
    ...HTTP,
    throttled('SQLITE_BUSY', { kind: 'answer', at: 'before', status: 200, text: BUSY }, { ever: true }),
    ...eitherWay('status 503', { kind: 'answer', status: 503, text: PAGE }, { failure: 'F2' }),
  ],
  'Durable Objects': [
    ...NETWORK,
    lost('overloaded', { kind: 'answer', status: 500, text: OVERLOADED }),
    ...eitherWay('the object is reset', { kind: 'answer', status: 500, text: RESET }, { failure: 'F2' }),
  ],
  Azure: [
    ...HTTP,
    throttled('status 503 and ServerBusy', azureError('before', 503, 'ServerBusy'), { ever: true }),
    throttled('status 429', azureError('before', 429, 'TooManyRequests')),
    ...eitherWay('status 500', azureError('before', 500, 'InternalError'), { failure: 'F2' }),
  ],
  'a file of SQLite': [throttled('file busy', { kind: 'busy' }, { ever: true })],
};
