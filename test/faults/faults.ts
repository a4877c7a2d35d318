import { type Fault, throttle } from '../support/fault-proxy.js';
import type { StoreKind } from './stages.js';

/**
 * What a fault leaves known. `answered`: all, if late, twice or with a Date header of the second before. `throttled`:
 * that nothing was applied. `lost` and `unheard`: nothing; the request was not applied, or it was.
 */
export type FaultKind = 'answered' | 'throttled' | 'lost' | 'unheard';

/** A row of the table. */
export interface FaultRow {
  readonly title: string;
  readonly kind: FaultKind;
  readonly fault: Fault | 'stale date';
  /** The time that goes by before the caller can know of it: so long, or the timeout of a try. */
  readonly atLeastMs?: number | 'try';
  /** Played on every try as well as on the first alone. */
  readonly ever?: true;
  /** The row of the failure catalogue that it is, when it strikes an acquire. */
  readonly failure?: string;
}

const SLOW_MS = 200;
/** Longer than any try waits. */
const TOO_SLOW_MS = 2_000;

const PAGE = '<html><body>Bad gateway</body></html>';
const serverError = (at: 'before' | 'after', status: number, type: string): Fault => ({
  kind: 'error',
  at,
  status,
  type,
});

const ANYWHERE: readonly FaultRow[] = [
  { title: 'answer 0.2 s late', kind: 'answered', fault: { kind: 'delay', ms: SLOW_MS }, atLeastMs: SLOW_MS },
  { title: 'request applied twice', kind: 'answered', fault: { kind: 'duplicate' } },
  { title: 'request lost, connection closed', kind: 'lost', fault: { kind: 'close', at: 'before' } },
  { title: 'request lost, connection reset', kind: 'lost', fault: { kind: 'reset', at: 'before' }, ever: true },
  {
    title: 'request lost, nothing said',
    kind: 'lost',
    fault: { kind: 'hang', at: 'before' },
    atLeastMs: 'try',
    ever: true,
  },
  { title: 'status 502, not applied', kind: 'lost', fault: { kind: 'answer', at: 'before', status: 502, text: PAGE } },
  {
    title: 'status 200 and no answer, not applied',
    kind: 'lost',
    fault: { kind: 'answer', at: 'before', status: 200, text: PAGE },
  },
  { title: 'answer lost, connection closed', kind: 'unheard', fault: { kind: 'close', at: 'after' } },
  {
    title: 'answer lost, connection reset',
    failure: 'F1',
    kind: 'unheard',
    fault: { kind: 'reset', at: 'after' },
    ever: true,
  },
  {
    title: 'answer lost, nothing said',
    failure: 'F3',
    kind: 'unheard',
    fault: { kind: 'hang', at: 'after' },
    atLeastMs: 'try',
    ever: true,
  },
  {
    title: 'answer later than its timeout',
    kind: 'unheard',
    fault: { kind: 'delay', ms: TOO_SLOW_MS },
    atLeastMs: 'try',
  },
  { title: 'answer broken off', kind: 'unheard', fault: { kind: 'cut' } },
  { title: 'status 502, applied', kind: 'unheard', fault: { kind: 'answer', at: 'after', status: 502, text: PAGE } },
  {
    title: 'status 200 and no answer, applied',
    kind: 'unheard',
    fault: { kind: 'answer', at: 'after', status: 200, text: PAGE },
  },
  {
    title: 'status 200 and an empty answer, not applied',
    kind: 'lost',
    fault: { kind: 'answer', at: 'before', status: 200, text: '' },
  },
  {
    title: 'status 200 and an empty answer, applied',
    kind: 'unheard',
    fault: { kind: 'answer', at: 'after', status: 200, text: '' },
  },
];

const OVER_CAPACITY = JSON.stringify({ error: 'ERR max requests limit exceeded. Limit: 10000, Usage: 10000.' });
const FAILED = JSON.stringify({ error: 'ERR internal error' });

/** The rows of each store: what may happen before any, and what is its own. */
export const FAULTS: Readonly<Record<StoreKind, readonly FaultRow[]>> = {
  dynamodb: [
    ...ANYWHERE,
    { title: 'Date header of the second before', kind: 'answered', fault: 'stale date' },
    { title: 'ThrottlingException', failure: 'F17', kind: 'throttled', fault: throttle, ever: true },
    {
      title: 'ProvisionedThroughputExceededException',
      failure: 'F17',
      kind: 'throttled',
      fault: serverError('before', 400, 'ProvisionedThroughputExceededException'),
    },
    { title: 'status 500, not applied', kind: 'lost', fault: serverError('before', 500, 'InternalServerError') },
    {
      title: 'status 500, applied',
      failure: 'F2',
      kind: 'unheard',
      fault: serverError('after', 500, 'InternalServerError'),
    },
    { title: 'status 503, not applied', kind: 'lost', fault: serverError('before', 503, 'ServiceUnavailable') },
    {
      title: 'status 503, applied',
      failure: 'F2',
      kind: 'unheard',
      fault: serverError('after', 503, 'ServiceUnavailable'),
    },
  ],
  upstash: [
    ...ANYWHERE,
    {
      title: 'status 429',
      failure: 'F17',
      kind: 'throttled',
      fault: { kind: 'answer', at: 'before', status: 429, text: OVER_CAPACITY },
      ever: true,
    },
    {
      title: 'status 500 and ERR, not applied',
      kind: 'lost',
      fault: { kind: 'answer', at: 'before', status: 500, text: FAILED },
    },
    {
      title: 'status 500 and ERR, applied',
      failure: 'F2',
      kind: 'unheard',
      fault: { kind: 'answer', at: 'after', status: 500, text: FAILED },
    },
  ],
};
