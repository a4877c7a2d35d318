import { readInstant, type Trigger } from '../core/trigger.js';

/** Headers with the scheduled time: of Vercel Schedules and of Google Cloud Scheduler. */
const TIME_HEADERS = ['ce-vssscheduledat', 'x-cloudscheduler-scheduletime'];
/** Headers with an id to find the request by: of Vercel Schedules, Vercel, Netlify, Supabase and Cloudflare. */
const ID_HEADERS = ['ce-id', 'x-vercel-id', 'x-nf-request-id', 'sb-request-id', 'cf-ray'];

/**
 * The scheduled time of a request: in a header of its scheduler, or as `scheduledTime` in a JSON body, ISO 8601 or epoch
 * milliseconds. The body stays readable.
 */
export async function readSchedule(request: Request): Promise<Trigger> {
  const header = firstHeader(request, TIME_HEADERS);
  if (header !== undefined) return readInstant(header);
  if (!request.headers.get('content-type')?.toLowerCase().includes('json')) return {};
  if (request.bodyUsed || request.body?.locked) return { unreadableTick: 'in a body that was read before' };
  const time = await scheduledTimeOfBody(request);
  return typeof time === 'number' ? { tickMs: time } : readInstant(time);
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
    // A body that is no JSON is the handler's business.
    return undefined;
  }
}
