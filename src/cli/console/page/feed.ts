import type { LockInfo } from '../../../admin/lock-admin.js';
import type { DueTicks } from '../../../operate/due-ticks.js';

/** A lock as the page gets it. */
export type Job = LockInfo & DueTicks;

/** The source of the page's data: a running console, which is asked again and again, or a report in the page. */
export type Feed =
  | { readonly kind: 'live'; readonly token: string }
  | { readonly kind: 'report'; readonly at: Date; readonly store: string; readonly locks: readonly Job[] };

export function readFeed(): Feed {
  const report = revived(JSON.parse(document.getElementById('report')?.textContent ?? 'null')) as Omit<
    Extract<Feed, { kind: 'report' }>,
    'kind'
  > | null;
  return report ? { kind: 'report', ...report } : { kind: 'live', token: address().get('token') ?? '' };
}

/** The parameters behind `#` in the address. */
export function address(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

/** The address of a job's page, or of the list. */
export function linkTo(job?: string): string {
  const to = address();
  if (job === undefined) to.delete('job');
  else to.set('job', job);
  return `#${to}`;
}

/** Asks the console. @throws Error with a message for people */
export async function ask<T>(token: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`/api/${path}`, {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}` },
  }).catch(() => {
    throw new Error('the console does not answer: has it ended?');
  });
  const answer = await response.json();
  if (response.ok) return revived(answer) as T;
  throw new Error(answer.error ?? `the console answered with ${response.status}`);
}

export const lockPath = (name: string, act?: string): string =>
  ['locks', encodeURIComponent(name), ...(act ? [act] : [])].join('/');

const INSTANT = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Members that hold an instant or a list of instants. In any other member, a text that looks like one stays a text. */
const INSTANTS = [
  'lockedAt',
  'lockUntil',
  'tick',
  'doneTick',
  'openTicks',
  'until',
  'lastReleasedAt',
  'at',
  'listed',
  'readAt',
  'overdueTick',
  'nextTick',
];

function revived(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((part) => revived(part, key));
  if (typeof value === 'string') return INSTANTS.includes(key) && INSTANT.test(value) ? new Date(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, revived(part, name)]));
}
