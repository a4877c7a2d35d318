import { warn } from '../core/observers/operator-log.js';
import { LockStoreError } from '../core/public/errors.js';
import { checkKnown, checkMethods, namesOf } from '../core/values/checks.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import type { FetchRequest, FetchResponse } from '../core/wrap/fetch-request.js';
import { secretCheck } from '../core/wrap/request-secret.js';
import {
  type CheckedJob,
  checkJobs,
  type HealthJob,
  isHealthy,
  type JudgedJobs,
  type LockReader,
  lookAtJobs,
  summaryOf,
} from './job-health.js';
import { stateWithoutPause } from './lock-info.js';
import { readAt, USUAL_GRACE } from './overdue.js';

/** Options of `healthRoute`. */
export interface HealthOptions {
  /** The operators' view of the store: `lockAdmin(…)`. */
  readonly admin: LockReader;
  /** The jobs to look at, each by one read. @default every lock whose record has a schedule, by a scan of all locks */
  readonly jobs?: readonly HealthJob[];
  /** How old a tick must be before it can be overdue. @default '15m' */
  readonly grace?: Duration;
  /** What a request must show as `Authorization: Bearer …`; false if anybody may look. @default `CRON_SECRET` */
  readonly secret?: string | false;
}

const OPTIONS = namesOf<HealthOptions>({ admin: true, jobs: true, grace: true, secret: true });
/**
 * Makes a route for an uptime monitor or for Prometheus. It answers with status 200 when no job is overdue, and else
 * with 503. With `?format=prometheus`, or where `Accept` names `text/plain` and does not prefer JSON, it answers with
 * gauges, and with status 200 whenever the store has answered.
 *
 * @example
 * ```ts
 * import { healthRoute, lockAdmin } from 'single-execution/admin';
 * import { dynamoDBAdminStore } from 'single-execution/dynamodb';
 *
 * const admin = lockAdmin(dynamoDBAdminStore({ tableName: 'locks' }));
 * export const health = healthRoute({ admin, jobs: [{ name: 'send-digest' }] });
 * ```
 *
 * @throws TypeError, RangeError for invalid options
 */
export function healthRoute(options: HealthOptions): (request: FetchRequest) => Promise<FetchResponse> {
  checkKnown(options, OPTIONS, 'healthRoute');
  const { admin, jobs, grace = USUAL_GRACE } = options;
  checkMethods('admin', admin, ['list', 'get'], 'pass the view of operators, such as lockAdmin(store)');
  parseDuration(grace, 'grace');
  checkJobs(jobs);
  const refusalFor = secretCheck(options);
  const warned = new Set<string>();

  return async function route(request: Request): Promise<Response> {
    const refused = refusalFor(request);
    if (refused) return refused;
    const isText = wantsText(request);
    let checked: readonly CheckedJob[];
    try {
      checked = await lookAtJobs(admin, jobs, { grace });
    } catch (error) {
      if (!(error instanceof LockStoreError)) throw error;
      warn(`the health of the jobs is unknown: ${error.message}`);
      return isText ? asText([], 503) : asJson({ status: 'unavailable', jobs: [] });
    }
    for (const { health } of checked) {
      const { problem } = health;
      if (problem === undefined || warned.has(problem)) continue;
      warn(problem);
      warned.add(problem);
    }
    return isText ? asText(checked, 200) : asJson(summaryOf(checked));
  };
}

const NOT_CACHED = { 'cache-control': 'no-store' };

function asJson(health: JudgedJobs): Response {
  return Response.json(health, { status: health.status === 'ok' ? 200 : 503, headers: NOT_CACHED });
}

const GAUGES: readonly [name: string, help: string, of: (checked: CheckedJob) => number | undefined][] = [
  [
    'overdue_seconds',
    "How long the oldest overdue tick has been due; 0 when no tick is overdue, +Inf when the job's record or schedule cannot be read.",
    ({ lock, health }) => {
      const { overdueTick } = health;
      if (overdueTick) return (+readAt(lock) - +overdueTick) / 1_000;
      return isHealthy(health) ? 0 : Number.POSITIVE_INFINITY;
    },
  ],
  [
    'done_tick_timestamp_seconds',
    'The newest tick that is done.',
    ({ health: { doneTick } }) => doneTick && doneTick.getTime() / 1_000,
  ],
  ['held', 'Whether a run has the lock.', ({ lock }) => Number(lock && stateWithoutPause(lock) === 'held')],
  ['paused', 'Whether an operator has paused the lock.', ({ health }) => Number(health.state === 'paused')],
  [
    'failures_in_a_row',
    'How many runs since the last success did not succeed, up to ten.',
    ({ lock }) => lock?.failuresInARow ?? 0,
  ],
];

/** Writes the gauges in the text format of Prometheus. */
function asText(jobs: readonly CheckedJob[], status: 200 | 503): Response {
  const lines = GAUGES.flatMap(([name, help, of]) => {
    const samples = jobs.map((job) => [job.health.name, of(job)] as const).filter(([, value]) => value !== undefined);
    return [
      `# HELP single_execution_${name} ${help}`,
      `# TYPE single_execution_${name} gauge`,
      ...samples.map(([lock, value]) => `single_execution_${name}{lock="${escaped(lock)}"} ${numberOf(Number(value))}`),
    ];
  });
  const headers = { ...NOT_CACHED, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
  return new Response(`${lines.join('\n')}\n`, { status, headers });
}

const numberOf = (value: number): string => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));

const escaped = (label: string): string => label.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');

/**
 * Whether a request asks for the gauges: by its address, or because it accepts them rather than JSON. If it accepts both
 * alike, the first one counts: clients of HTTP such as axios send `application/json, text/plain`.
 */
function wantsText({ url, headers }: Request): boolean {
  if (/[?&]format=prometheus(&|#|$)/.test(url)) return true;
  const accepted = (headers.get('accept') ?? '').toLowerCase().split(',').map(acceptedType);
  const known = accepted.filter(({ type, weight }) => ANSWERS.includes(type) && weight > 0);
  const [best] = known.sort((a, b) => b.weight - a.weight);
  return best !== undefined && best.type !== JSON_TYPE;
}

const JSON_TYPE = 'application/json';
const ANSWERS: readonly string[] = [JSON_TYPE, 'text/plain', 'application/openmetrics-text'];

function acceptedType(item: string): { readonly type: string; readonly weight: number } {
  const [type = '', ...parameters] = item.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return { type, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
}
