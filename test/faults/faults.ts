import type { Fault } from '../support/fault-proxy.js';
import type { FileFault } from './wire/file-wire.js';
import type { HttpFault } from './wire/http-wire.js';
import type { TcpFault } from './wire/tcp-wire.js';

/** Every fault that one of the ways can do to a request. */
export type AnyFault = HttpFault | TcpFault | FileFault;

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

/** What a gateway answers. */
export const PAGE = '<html><body>Bad gateway</body></html>';

type More = Pick<FaultRow, 'atLeastMs' | 'ever'>;
type At<F> = F extends { readonly at: unknown } ? Omit<F, 'at'> : never;
/** A fault that can strike a request before or after it is applied. */
type StruckFault = At<Fault> | At<TcpFault>;

/** A fault that strikes a request before it is applied. */
export function lost(title: string, fault: StruckFault, more: More = {}): FaultRow {
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
export const eitherWay = (title: string, fault: StruckFault, more: Pick<FaultRow, 'failure'> = {}): FaultRow[] => [
  lost(`${title}, not applied`, fault),
  unheard(`${title}, applied`, fault, more),
];

/** What any network can do. */
export const NETWORK: readonly FaultRow[] = [
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

/** What any network and gateways can do. */
export const HTTP: readonly FaultRow[] = [
  ...NETWORK,
  ...eitherWay('status 502', { kind: 'answer', status: 502, text: PAGE }),
  ...eitherWay('status 200 and no answer', { kind: 'answer', status: 200, text: PAGE }),
  ...eitherWay('status 200 and an empty answer', { kind: 'answer', status: 200, text: '' }),
];

/** A refusal that proves that the request was not applied. */
export const throttled = (title: string, fault: AnyFault, ever: Pick<FaultRow, 'ever'> = {}): FaultRow => {
  return { title, failure: 'F17', kind: 'throttled', fault, ...ever };
};

/** A refusal in the protocol of a database, with one of its codes. */
export const refusedBy = (text: string): AnyFault => ({ kind: 'refusal', at: 'before', text });
