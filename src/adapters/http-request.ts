import type { Execution } from '../core/public/execution.js';
import { describe } from '../core/values/checks.js';
import { environmentVariable, thisProcess } from '../core/values/environment.js';
import { checkTick } from '../core/values/tick.js';
import { readInstant, type Trigger } from '../core/wrap/trigger.js';

/** The header in which Google Cloud Scheduler sends the scheduled time. */
const GOOGLE_TIME = 'x-cloudscheduler-scheduletime';
/** Headers in which Vercel Schedules and Google Cloud Scheduler send the scheduled time. */
const TIME_HEADERS = ['ce-vssscheduledat', GOOGLE_TIME];
/** The header that asks for a run by hand. */
const NOW_HEADER = 'x-single-execution';
/** How far a request's scheduled time may be ahead of this host's clock. */
const MAX_AHEAD_MS = 300_000;
/** Headers in which Vercel Schedules, Vercel, Netlify, Supabase and Cloudflare send the id of a request. */
const ID_HEADERS = ['ce-id', 'x-vercel-id', 'x-nf-request-id', 'sb-request-id', 'cf-ray'];

/**
 * Reads what a request asks for: a run by hand, or the run of its scheduled time.
 *
 * @param readsTime whether the scheduled time of the request is its tick
 */
export async function readRequest(request: Request, readsTime: boolean, nowMs: number): Promise<Trigger> {
  const { headers } = request;
  const read = readsTime ? await readSchedule(request) : readInstant(firstHeader(request, [GOOGLE_TIME]));
  if (headers.get(NOW_HEADER) === 'now' || isForceRun(request, read, nowMs)) return { isManual: true };
  return readsTime ? read : {};
}

/**
 * Whether Google's "Force run" has sent a request. It sends no time, or the next time of the job, which may be days
 * ahead. A time that is up to five minutes ahead may also come from a clock that is wrong, and is a scheduled time.
 */
function isForceRun({ headers }: Request, { tickMs, unreadableTick }: Trigger, nowMs: number): boolean {
  if (headers.get('x-cloudscheduler') !== 'true' || unreadableTick !== undefined) return false;
  return tickMs === undefined || (headers.has(GOOGLE_TIME) && tickMs > nowMs + MAX_AHEAD_MS);
}

/**
 * Reads the scheduled time of a request: a scheduler's header, in ISO 8601, or `scheduledTime` of a JSON body, in ISO
 * 8601 or epoch milliseconds. The body stays readable.
 */
export async function readSchedule(request: Request): Promise<Trigger> {
  const header = firstHeader(request, TIME_HEADERS);
  if (header !== undefined) return readInstant(header);
  if (!request.headers.get('content-type')?.toLowerCase().includes('json')) return {};
  if (request.bodyUsed || request.body?.locked) return { unreadableTick: 'in a body that was read before' };
  const time = await scheduledTimeOfBody(request);
  return typeof time === 'number' ? { tickMs: time } : readInstant(time);
}

/** Why a request is refused, and the code that the caller gets. */
export interface RequestRefusal {
  readonly code: 'TICK_MISSING' | 'TICK_UNREADABLE' | 'TICK_OUT_OF_RANGE' | 'HEADER_UNKNOWN';
  readonly why: string;
}

/** Refuses a request whose header asks for something other than a run by hand. */
export function refusedHeader({ headers }: Request): RequestRefusal | undefined {
  const value = headers.get(NOW_HEADER);
  if (value === null || value === 'now') return undefined;
  const why = `its header ${NOW_HEADER} is ${describe(value)}: send now for a run by hand, or leave the header out`;
  return { code: 'HEADER_UNKNOWN', why };
}

/**
 * Refuses a scheduled time that is missing, unreadable or out of range. A time in the future is refused because a
 * caller that marked it as done could keep the job from running.
 *
 * @returns undefined for a time that is not refused
 */
export function refusedTick({ tickMs, unreadableTick }: Trigger, nowMs: number): RequestRefusal | undefined {
  if (unreadableTick !== undefined) {
    return { code: 'TICK_UNREADABLE', why: `its scheduled time cannot be read: ${unreadableTick}` };
  }
  if (tickMs === undefined) {
    const why =
      "it has no scheduled time: let the scheduler send it, or set tick to 'nearest' with the schedule, { every: '5m' }, a function or 'none'";
    return { code: 'TICK_MISSING', why };
  }
  try {
    checkTick(tickMs, nowMs, MAX_AHEAD_MS);
    return undefined;
  } catch (error) {
    return { code: 'TICK_OUT_OF_RANGE', why: (error as RangeError).message };
  }
}

/**
 * Returns the request that the handler gets. A body can be read only once, so during catch-up the handler gets a copy.
 * The copy has the class of the request and the properties that a framework added.
 */
export function requestOf<Q extends Request>(request: Q, { isCatchUp }: Execution): Q {
  if (!isCatchUp || request.bodyUsed) return request;
  const { ...added } = Object.getOwnPropertyDescriptors(request);
  const copy = Object.setPrototypeOf(request.clone(), Object.getPrototypeOf(request)) as Q;
  for (const key of Reflect.ownKeys(copy)) delete added[key as string];
  return Object.defineProperties(copy, added);
}

/** Variables of platforms where an operator finds the log of a run by the id of its request, and not by a host. */
const FUNCTIONS = ['VERCEL', 'AWS_LAMBDA_FUNCTION_NAME'];

/**
 * Describes the run for people who look at the lock: the request's id, the process and its host if the route runs on a
 * server, and nothing else.
 */
export function whoCalls(request: Request): string {
  const id = firstHeader(request, ID_HEADERS);
  const who = id === undefined ? 'a request' : `request ${id}`;
  const server = thisProcess();
  return server.includes(' on ') && !FUNCTIONS.some(environmentVariable) ? `${who}, ${server}` : who;
}

function firstHeader({ headers }: Request, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers.get(name);
    if (value) return value;
  }
  return undefined;
}

async function scheduledTimeOfBody(request: Request): Promise<unknown> {
  try {
    return ((await request.clone().json()) as { scheduledTime?: unknown }).scheduledTime;
  } catch {
    // The body is not JSON; the handler decides what that means.
    return undefined;
  }
}
