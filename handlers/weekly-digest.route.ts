import { Redis } from '@upstash/redis';
import { withSingleExecution } from 'single-execution/http';
import { upstashStore } from 'single-execution/upstash';

/*
 * A route of Next.js on Vercel that mails each subscriber the posts of the week before, every Monday. In vercel.json:
 *
 *   "schedules": { "weekly-digest": { "schedule": "0 6 * * 1", "path": "/api/weekly-digest", "requestMethod": "GET" } }
 *
 * Vercel Schedules sends the scheduled time. Vercel's older cron jobs do not: they would need `tick: { every: '1d' }`.
 * Set CRON_SECRET in the project, else every request is refused.
 */

const {
  BLOG_API_URL = '',
  MAIL_API_URL = '',
  MAIL_API_KEY = '',
  UPSTASH_REDIS_REST_URL = '',
  UPSTASH_REDIS_REST_TOKEN = '',
} = process.env;
const DAY_MS = 86_400_000;
const FETCH_TIMEOUT_MS = 10_000;
const STORE_TIMEOUT_MS = 2_000;

/** Vercel ends the run after this many seconds. Next.js reads this line without running it, so it must be a literal. */
export const maxDuration = 300;

interface Post {
  readonly title: string;
  readonly url: string;
}

interface Subscriber {
  readonly id: string;
  readonly email: string;
}

const redis = new Redis({
  url: UPSTASH_REDIS_REST_URL,
  token: UPSTASH_REDIS_REST_TOKEN,
  retry: { retries: 0 },
  signal: () => AbortSignal.timeout(STORE_TIMEOUT_MS),
});

export const GET = withSingleExecution(
  async (_request, _context, { tick, lockedAt, signal }) => {
    const week = mondayOf(tick ?? lockedAt);
    const posts = await read<Post[]>(`posts?before=${week}&days=7`, signal);
    const subscribers = await read<Subscriber[]>('subscribers', signal);
    for (const subscriber of subscribers) await mail(subscriber, posts, week, signal);
    return Response.json({ week, posts: posts.length, mails: subscribers.length });
  },
  {
    name: 'weekly-digest',
    store: upstashStore({ redis }),
    // The signal aborts before this time, and the lease ends after it, so no run begins while a slow run still mails.
    maxDuration: `${maxDuration}s`,
    tick: 'event',
  },
);

function mondayOf(date: Date): string {
  const daysSince = (date.getUTCDay() + 6) % 7;
  return new Date(date.getTime() - daysSince * DAY_MS).toISOString().slice(0, 10);
}

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(new URL(path, BLOG_API_URL), { signal: withTimeout(signal) });
  if (!response.ok) throw new Error(`${path} failed: HTTP ${response.status}`);
  return (await response.json()) as T;
}

/**
 * A mail service compares no fencing tokens. The idempotency key makes it drop a mail that was sent already. So a run
 * that takes over after a crash mails only the subscribers that are left.
 */
async function mail({ id, email }: Subscriber, posts: Post[], week: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(new URL('emails', MAIL_API_URL), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${MAIL_API_KEY}`,
      'content-type': 'application/json',
      'idempotency-key': `weekly-digest/${week}/${id}`,
    },
    body: JSON.stringify({
      to: email,
      subject: `What is new, ${week}`,
      text: posts.map(({ title, url }) => `${title}\n${url}`).join('\n\n'),
    }),
    signal: withTimeout(signal),
  });
  if (!response.ok) throw new Error(`the mail to subscriber ${id} failed: HTTP ${response.status}`);
}

function withTimeout(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
}
