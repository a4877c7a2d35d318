import { warn } from '../core/observers/operator-log.js';
import type { Execution } from '../core/public/execution.js';
import { describeType } from '../core/values/checks.js';
import { checkTick } from '../core/values/tick.js';
import { readInstant, type Trigger } from '../core/wrap/trigger.js';

/** Headers with the scheduled time: of Vercel Schedules and of Google Cloud Scheduler. */
const TIME_HEADERS = ['ce-vssscheduledat', 'x-cloudscheduler-scheduletime'];
/** How far a request's time may be ahead of this host's clock. */
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

/** Why a request's scheduled time is refused, and the code that the caller gets. */
export interface TickRefusal {
  readonly code: 'TICK_MISSING' | 'TICK_UNREADABLE' | 'TICK_OUT_OF_RANGE';
  readonly why: string;
}

/** Refuses future ticks: if a caller could mark them as done, one header would keep the job from running. */
export function refusedTick({ tickMs, unreadableTick }: Trigger, nowMs: number): TickRefusal | undefined {
  if (unreadableTick !== undefined) {
    return { code: 'TICK_UNREADABLE', why: `its scheduled time cannot be read: ${unreadableTick}` };
  }
  if (tickMs === undefined) {
    const why =
      "it has no scheduled time: let the scheduler send it, or give tick as 'nearest' with the schedule, { every: '5m' }, a function or 'none'";
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
 * The request for the handler. A body can be read only once, so an older tick gets a copy, with all that a framework's
 * own class adds.
 */
export function requestOf<Q extends Request>(request: Q, { isCatchUp }: Execution): Q {
  if (!isCatchUp || request.bodyUsed) return request;
  const { ...added } = Object.getOwnPropertyDescriptors(request);
  const copy = Object.setPrototypeOf(request.clone(), Object.getPrototypeOf(request)) as Q;
  for (const key of Reflect.ownKeys(copy)) delete added[key as string];
  return Object.defineProperties(copy, added);
}

/** The request's id and nothing else, for people who look at the lock. */
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
    // The body is not JSON; the handler decides what that means.
    return undefined;
  }
}

/** Text that a header can carry; blanks at its ends would be lost. */
const SENDABLE = /^[!-~](?:[ -~]*[!-~])?$/;
const MISSING =
  'a request was refused with status 500, because CRON_SECRET is not set: set it, give secret, or say secret: false where nobody else can call';
const REFUSED =
  'a request was refused with status 401, because it did not show the secret; if it was the scheduler, compare what it sends';

/** Whether a request shows the secret; `unset` if no secret is set. */
export type Shown = 'right' | 'wrong' | 'unset';

/**
 * Makes the check of a request's `Authorization: Bearer <secret>`. Its time does not depend on the secret.
 *
 * @throws TypeError for a secret that is empty or cannot be sent, such as an environment variable that is not set
 */
export function secretCheck(options: { readonly secret?: string | false }): (request: Request) => Shown {
  const { secret } = options;
  if (secret === false) return () => 'right';
  if ('secret' in options && (typeof secret !== 'string' || secret === '')) {
    throw new TypeError(
      `secret is ${secret === '' ? 'empty' : describeType(secret)}: give the secret that the scheduler sends, or false where nobody else can call`,
    );
  }
  if (secret !== undefined && !SENDABLE.test(secret)) {
    throw new TypeError('secret cannot be sent in a header: give printable ASCII without blanks at its ends');
  }
  const told = new Set<string>();
  const tellOnce = (message: string) => {
    if (!told.has(message)) warn(message);
    told.add(message);
  };
  return ({ headers }) => {
    const expected = secret ?? secretOfEnvironment();
    if (expected === undefined) {
      tellOnce(MISSING);
      return 'unset';
    }
    const isRight = isSame(headers.get('authorization') ?? '', `Bearer ${expected}`);
    if (!isRight) tellOnce(REFUSED);
    return isRight ? 'right' : 'wrong';
  };
}

/**
 * `CRON_SECRET`: Vercel sends it with every cron request if the project has it. Read for each request, because a build
 * may not have it.
 */
function secretOfEnvironment(): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.['CRON_SECRET'] || undefined;
}

/** Compares in a time that depends only on the length of `given`. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let i = 0; i < given.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i % expected.length);
  return difference === 0;
}
