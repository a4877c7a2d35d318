import { byUrgency, type Job } from '../../../operate/troubles.js';
import { address } from './address.js';

export type { Job };

/** The source of the page's data: a running console, which is asked again and again, or a report in the page. */
export type Feed =
  | { readonly kind: 'live'; readonly token: string }
  | { readonly kind: 'report'; readonly at: Date; readonly store: string; readonly locks: readonly Job[] };

/** What a console says of the jobs that have changed. */
export interface Changes {
  readonly revision: number;
  readonly more: boolean;
  readonly gone: readonly string[];
  readonly jobs: readonly Job[];
}

export function readFeed(): Feed {
  const report = revived(JSON.parse(document.getElementById('report')?.textContent ?? 'null')) as Omit<
    Extract<Feed, { kind: 'report' }>,
    'kind'
  > | null;
  return report ? { kind: 'report', ...report } : { kind: 'live', token: address().get('token') ?? '' };
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

/** Jobs with changes, the most urgent ones first. Jobs that have not changed stay the same objects. */
export function withChanges(jobs: readonly Job[], { gone, jobs: changed }: Changes): readonly Job[] {
  if (changed.length === 0 && gone.length === 0) return jobs;
  const named = new Map(jobs.map((job) => [job.name, job]));
  for (const name of gone) named.delete(name);
  for (const job of changed) named.set(job.name, job);
  return [...named.values()].sort(byUrgency);
}

const INSTANT = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** Members that hold an instant or a list of instants. In any other member, a text that looks like one stays a text. */
const INSTANTS = new Set([
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
  'pausedTick',
]);

/** Turns the instants in an answer into Dates, in place: a list of thousands of locks has hundreds of thousands. */
function revived(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return INSTANTS.has(key) && INSTANT.test(value) ? new Date(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) {
    members[name] = revived(members[name], Array.isArray(value) ? key : name);
  }
  return value;
}
