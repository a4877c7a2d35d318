import { type Clock, CorruptLockError, LockHeldError, LockStoreError } from '../../index.js';
import { judgedJob } from '../../operate/judged-job.js';
import { comingTicks } from '../../operate/times.js';
import { CliError, isWrongUse, quoted } from '../exit-code.js';
import { findLock } from '../known-lock.js';
import { instantOf, scheduleOf } from '../read-value.js';
import type { PacedAdmin } from './paced-admin.js';

/** A request of the page. */
export interface Call {
  readonly method: string;
  /** Below `/api/`, decoded: `['locks', 'digest', 'pause']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The parsed body; `{}` if the body is empty, undefined if it is not JSON. */
  readonly body: unknown;
}

export interface Desk {
  readonly admin: PacedAdmin;
  readonly clock: Clock;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  /** The body if it is JSON already. */
  readonly json?: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Act = (desk: Desk, name: string, fields: Fields) => Promise<Answer>;

const NEXT_TICKS = 10;
const ok = (body: unknown): Answer => ({ status: 200, body });
const refused = (status: number, error: string): Answer => ({ status, body: { error } });

const ACTS: Readonly<Record<string, Act>> = {
  async pause({ admin, clock }, name, { until, by }) {
    const end = until == null ? undefined : instant(until, 'until');
    if (end && end.getTime() <= clock.now()) throw new RangeError(`until is ${end.toISOString()}, which is over`);
    return ok(await admin.pause(name, { ...(end && { until: end }), ...(by != null && { by: String(by) }) }));
  },
  async resume({ admin }, name) {
    const result = await admin.resume(name);
    return result === 'unknown' ? unknown(name) : ok({ result });
  },
  async unlock({ admin }, name, { fencingToken }) {
    const result = await admin.forceRelease(name, { fencingToken: fencingToken as number });
    if (result.status === 'forced') return ok(result);
    return (await findLock(admin, name))
      ? refused(409, 'nothing was changed: the lock has changed meanwhile')
      : unknown(name);
  },
  async backfill({ admin }, name, { from, to, schedule, timeZone }) {
    if (!(await findLock(admin, name))) return unknown(name);
    const range = { from: instant(from, 'from'), to: instant(to, 'to') };
    const listed = await admin.backfill(name, { ...range, schedule: scheduleIn(schedule, timeZone) });
    return ok({ listed });
  },
  async delete({ admin }, name, { fencingToken }) {
    const result = await admin.delete(name, { fencingToken: fencingToken as number });
    if (result === 'unknown') return unknown(name);
    return result === 'deleted' ? ok({ result }) : refused(409, `nothing was changed: the lock is ${result}`);
  },
};

/** Answers one call of the page. Never rejects. */
export async function answerCall(desk: Desk, call: Call): Promise<Answer> {
  try {
    return await answer(desk, call);
  } catch (error) {
    return failure(error);
  }
}

async function answer(desk: Desk, { method, path, query, body }: Call): Promise<Answer> {
  const { admin, clock } = desk;
  const [kind, name, act] = path;
  if (method === 'GET' && kind === 'next' && path.length === 1) return ok(nextTicks(query, clock.now()));
  if (method === 'GET' && kind === 'changes' && path.length === 1)
    return { ...ok(undefined), json: await admin.changesAfter(revisionIn(query)) };
  if (kind !== 'locks' || path.length > 3) return refused(404, 'there is nothing at this address');
  const run = act !== undefined && Object.hasOwn(ACTS, act) ? ACTS[act] : undefined;
  if (act !== undefined && !run) return refused(404, 'there is nothing at this address');
  const wanted = run ? 'POST' : 'GET';
  if (method !== wanted) return refused(405, `${method} is not for this address: use ${wanted}`);
  if (name === undefined) return ok(await admin.list());
  if (!run) {
    const lock = await findLock(admin, name);
    return lock ? ok(judgedJob(lock)) : unknown(name);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return refused(400, 'the body is not a JSON object');
  const done = await run(desk, name, body as Fields);
  await admin.refresh(name);
  return done;
}

function unknown(name: string): Answer {
  return refused(404, `no lock ${quoted(name)}: it was never used, or is deleted`);
}

function nextTicks(query: URLSearchParams, nowMs: number): Date[] {
  const schedule = scheduleIn(query.get('schedule'), query.get('timeZone') || undefined);
  if (typeof schedule !== 'object') throw new TypeError('a rate without a start has no ticks of its own: pass a cron');
  return comingTicks(schedule, nowMs, NEXT_TICKS);
}

function scheduleIn(schedule: unknown, timeZone: unknown) {
  if (typeof schedule !== 'string' || schedule === '')
    throw new TypeError('schedule is missing: pass a cron or a rate');
  return scheduleOf(schedule, timeZone == null || timeZone === '' ? undefined : String(timeZone));
}

function revisionIn(query: URLSearchParams): number {
  const after = query.get('after') ?? '0';
  if (!/^\d{1,15}$/.test(after))
    throw new TypeError(`after is ${quoted(after)}: pass the revision of the last answer, or 0`);
  return Number(after);
}

function instant(value: unknown, field: string): Date {
  return instantOf(field, String(value));
}

function failure(error: unknown): Answer {
  if (isWrongUse(error) || error instanceof CliError) return refused(400, (error as Error).message);
  if (error instanceof LockHeldError || error instanceof CorruptLockError) return refused(409, error.message);
  if (error instanceof LockStoreError) return refused(502, error.message);
  return refused(500, 'the console failed');
}
