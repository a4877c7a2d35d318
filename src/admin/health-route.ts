import { warn } from '../core/observers/operator-log.js';
import { CorruptLockError, LockStoreError } from '../core/public/errors.js';
import { checkKnown, checkMethods, describe, namesOf } from '../core/values/checks.js';
import { defined } from '../core/values/defined.js';
import { type Duration, parseDuration } from '../core/values/duration.js';
import { checkLockName } from '../core/values/names.js';
import { isTimed, type Schedule } from '../core/values/tick.js';
import type { FetchRequest, FetchResponse } from '../core/wrap/fetch-request.js';
import { secretCheck } from '../core/wrap/request-secret.js';
import { type LockInfo, stateWithoutPause } from './lock-info.js';
import { instant, overdueTick, readAt, scheduleFor, USUAL_GRACE } from './overdue.js';

/** A job that a health route looks at. */
export interface HealthJob {
  /** The name of its lock. */
  readonly name: string;
  /** When its ticks are due, or the time between two of its runs. @default the schedule in its record */
  readonly schedule?: Schedule | Duration;
  /** How old a tick must be before it can be overdue. @default the option `grace` of the route */
  readonly grace?: Duration;
  /** When a job that never ran became due to run: ticks up to this instant do not count. @default none */
  readonly since?: Date;
}

/** Options of `healthRoute`. */
export interface HealthOptions {
  /** The operators' view of the store: `lockAdmin(…)`. */
  readonly admin: {
    /** Every lock of the store. */
    list(): Promise<LockInfo[]>;
    /** One lock; undefined if it was never used. */
    get(name: string): Promise<LockInfo | undefined>;
  };
  /** The jobs to look at, each by one read. @default every lock whose record has a schedule, by a scan of all locks */
  readonly jobs?: readonly HealthJob[];
  /** How old a tick must be before it can be overdue. @default '15m' */
  readonly grace?: Duration;
  /** What a request must show as `Authorization: Bearer …`; false where anybody may look. @default `CRON_SECRET` */
  readonly secret?: string | false;
}

/** What a health route answers as JSON. */
export interface Health {
  /**
   * `overdue`: a job is overdue, or its record is corrupt; `unavailable`: the store did not answer; `empty`: there is
   * nothing to look at, such as in a wrong table.
   */
  readonly status: 'ok' | 'overdue' | 'unavailable' | 'empty';
  /** The jobs, overdue ones first. */
  readonly jobs: readonly JobHealth[];
}

/** One job in the answer of a health route. Instants are texts in ISO 8601. */
export interface JobHealth {
  /** The name of its lock. */
  readonly name: string;
  /** As in `LockInfo`; `unused` without a record. */
  readonly state: LockInfo['state'];
  /** The oldest tick that is overdue. */
  readonly overdueTick?: string;
  /** The newest tick that is done. */
  readonly doneTick?: string;
  /** The next tick of its schedule. */
  readonly nextTick?: string;
  /** Why nobody can tell whether the job is overdue. It then counts as overdue. */
  readonly problem?: string;
}

type Ticks = 'overdueTick' | 'doneTick' | 'nextTick';

/** A job before it is written as JSON. */
type Judged = Omit<JobHealth, Ticks> & { readonly [tick in Ticks]?: Date };

const OPTIONS = namesOf<HealthOptions>({ admin: true, jobs: true, grace: true, secret: true });
const JOB_OPTIONS = namesOf<HealthJob>({ name: true, schedule: true, grace: true, since: true });

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
  checkMethods('admin', admin, ['list', 'get'], 'give the view of operators, such as lockAdmin(store)');
  parseDuration(grace, 'grace');
  jobs?.forEach(checkJob);
  const refusalFor = secretCheck(options);
  const warned = new Set<string>();

  return async function route(request: Request): Promise<Response> {
    const refused = refusalFor(request);
    if (refused) return refused;
    const isText = wantsText(request);
    let found: readonly [HealthJob, LockInfo | undefined][];
    try {
      found = jobs ? await Promise.all(jobs.map((job) => lookAt(admin, job))) : await lookAtAll(admin);
    } catch (error) {
      if (!(error instanceof LockStoreError)) throw error;
      warn(`the health of the jobs is unknown: ${error.message}`);
      return isText ? asText([], 503) : asJson({ status: 'unavailable', jobs: [] });
    }
    const checked = found.map(([job, lock]) => ({ lock, health: healthOf({ grace, ...job }, lock) }));
    for (const { problem } of checked.map(({ health }) => health)) {
      if (problem !== undefined && !warned.has(problem)) warn(problem);
      if (problem !== undefined) warned.add(problem);
    }
    return isText ? asText(checked, 200) : asJson(summary(checked.map(({ health }) => health)));
  };
}

function checkJob(job: HealthJob, index: number): void {
  checkKnown(job, JOB_OPTIONS, `jobs[${index}]`);
  if (typeof job.name !== 'string') throw new TypeError(`jobs[${index}].name is ${describe(job.name)}: give its lock`);
  checkLockName(job.name);
  if (job.grace !== undefined) parseDuration(job.grace, `jobs[${index}].grace`);
  instant(job.since, `jobs[${index}].since`);
  if (job.schedule !== undefined) scheduleFor(undefined, job.schedule);
}

async function lookAt(admin: HealthOptions['admin'], job: HealthJob): Promise<[HealthJob, LockInfo | undefined]> {
  try {
    return [job, await admin.get(job.name)];
  } catch (error) {
    if (!(error instanceof CorruptLockError)) throw error;
    return [job, { name: job.name, state: 'corrupt', failuresInARow: 0, runs: [], problem: error.message }];
  }
}

async function lookAtAll(admin: HealthOptions['admin']): Promise<[HealthJob, LockInfo][]> {
  const locks = await admin.list();
  return locks
    .filter(({ schedule, state }) => schedule !== undefined || state === 'corrupt')
    .map((lock) => [{ name: lock.name }, lock]);
}

function healthOf({ name, ...job }: HealthJob, lock: LockInfo | undefined): Judged {
  const known = { name, state: lock?.state ?? 'unused', ...defined({ doneTick: lock?.doneTick }) } as const;
  if (lock?.state === 'corrupt') return { ...known, ...defined({ problem: lock.problem }) };
  try {
    return { ...known, ...defined({ overdueTick: overdueTick(lock, job), nextTick: nextTick(lock, job.schedule) }) };
  } catch (error) {
    return { ...known, problem: `lock "${name}": its health is unknown: ${(error as Error).message}` };
  }
}

function nextTick(lock: LockInfo | undefined, given: HealthJob['schedule']): Date | undefined {
  if (lock?.schedule === undefined && given === undefined) return undefined;
  const schedule = scheduleFor(lock, given);
  return isTimed(schedule) ? schedule.next(readAt(lock)) : undefined;
}

const isHealthy = ({ overdueTick, problem, state }: Judged): boolean =>
  overdueTick === undefined && problem === undefined && state !== 'corrupt';

/** A {@link Health} before it is written as JSON. */
type Summary = Pick<Health, 'status'> & { readonly jobs: readonly Judged[] };

function summary(jobs: readonly Judged[]): Summary {
  const sorted = [...jobs.filter((job) => !isHealthy(job)), ...jobs.filter(isHealthy)];
  return { status: jobs.length === 0 ? 'empty' : jobs.every(isHealthy) ? 'ok' : 'overdue', jobs: sorted };
}

const NOT_CACHED = { 'cache-control': 'no-store' };

function asJson(health: Summary): Response {
  return Response.json(health, { status: health.status === 'ok' ? 200 : 503, headers: NOT_CACHED });
}

/** A job as its gauges need it. */
interface Checked {
  readonly lock: LockInfo | undefined;
  readonly health: Judged;
}

const GAUGES: readonly [name: string, help: string, of: (checked: Checked) => number | undefined][] = [
  [
    'overdue_seconds',
    'How long the oldest overdue tick has been due; 0 when no tick is overdue.',
    ({ lock, health: { overdueTick } }) => (overdueTick ? (+readAt(lock) - +overdueTick) / 1_000 : 0),
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
function asText(jobs: readonly Checked[], status: 200 | 503): Response {
  const lines = GAUGES.flatMap(([name, help, of]) => {
    const samples = jobs.map((job) => [job.health.name, of(job)] as const).filter(([, value]) => value !== undefined);
    return [
      `# HELP single_execution_${name} ${help}`,
      `# TYPE single_execution_${name} gauge`,
      ...samples.map(([lock, value]) => `single_execution_${name}{lock="${escaped(lock)}"} ${Number(value)}`),
    ];
  });
  const headers = { ...NOT_CACHED, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
  return new Response(`${lines.join('\n')}\n`, { status, headers });
}

const escaped = (label: string): string => label.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');

/** Whether a request asks for the gauges: by its address, or because it accepts them rather than JSON. */
function wantsText(request: Request): boolean {
  if (/[?&]format=prometheus(&|$)/.test(request.url)) return true;
  const accepted = (request.headers.get('accept') ?? '').toLowerCase().split(',');
  const weightOf = (type: string): number => {
    const named = accepted.find((item) => item.split(';')[0]?.trim() === type);
    return named === undefined ? 0 : Number(/;\s*q=([\d.]+)/.exec(named)?.[1] ?? 1);
  };
  const text = Math.max(weightOf('text/plain'), weightOf('application/openmetrics-text'));
  return text > 0 && text >= weightOf('application/json');
}
