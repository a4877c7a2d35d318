import type { Execution } from '../core/public/execution.js';
import { checkTick } from '../core/values/tick.js';
import { readInstant, type Trigger } from '../core/wrap/trigger.js';

/** Headers with the scheduled time: of Vercel Schedules and of Google Cloud Scheduler. */
const TIME_HEADERS = ['ce-vssscheduledat', 'x-cloudscheduler-scheduletime'];
/** How far ahead of this host's clock a request may name its time. */
const MAX_AHEAD_MS = 300_000;
/** Headers with an id to find the request by: of Vercel Schedules, Vercel, Netlify, Supabase and Cloudflare. */
const ID_HEADERS = ['ce-id', 'x-vercel-id', 'x-nf-request-id', 'sb-request-id', 'cf-ray'];

/**
 * The scheduled time of a request: in a header of its scheduler, or as `scheduledTime` in a JSON body, ISO 8601 or
 * epoch milliseconds. The body stays readable.
 */
export async function readSchedule(request: Request): Promise<Trigger> {
  const header = firstHeader(request, TIME_HEADERS);
  if (header !== undefined) return readInstant(header);
  if (!request.headers.get('content-type')?.toLowerCase().includes('json')) return {};
  if (request.bodyUsed || request.body?.locked) return { unreadableTick: 'in a body that was read before' };
  const time = await scheduledTimeOfBody(request);
  return typeof time === 'number' ? { tickMs: time } : readInstant(time);
}

/** Why a request is refused because of its scheduled time, and the code that its caller gets. */
export interface TickRefusal {
  readonly code: 'TICK_MISSING' | 'TICK_UNREADABLE' | 'TICK_OUT_OF_RANGE';
  readonly why: string;
}

/** A caller must not mark future ticks as done: one header would keep the job from running. */
export function refusedTick({ tickMs, unreadableTick }: Trigger, nowMs: number): TickRefusal | undefined {
  if (unreadableTick !== undefined) {
    return { code: 'TICK_UNREADABLE', why: `its scheduled time cannot be read: ${unreadableTick}` };
  }
  if (tickMs === undefined) {
    const why =
      "it tells no scheduled time: let the scheduler send it, or give tick as 'nearest' with the schedule, { every: '5m' }, a function or 'none'";
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
 * The request as the handler is given it. Its body can be read once, so a tick that is caught up with gets a copy, with
 * what a framework's own class adds to it.
 */
export function requestOf<Q extends Request>(request: Q, { isCatchUp }: Execution): Q {
  if (!isCatchUp || request.bodyUsed) return request;
  const { ...added } = Object.getOwnPropertyDescriptors(request);
  const copy = Object.setPrototypeOf(request.clone(), Object.getPrototypeOf(request)) as Q;
  for (const key of Reflect.ownKeys(copy)) delete added[key as string];
  return Object.defineProperties(copy, added);
}

/** For people who look at the lock: the request's id, and nothing else of it. */
export function whoCalls(request: Request): string {
  const id = firstHeader(request, ID_HEADERS);
  return id === undefined ? 'a request' : `request ${id}`;
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
    // The body is not JSON: that is for the handler to judge.
    return undefined;
  }
}
