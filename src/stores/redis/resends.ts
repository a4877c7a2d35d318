import { warn } from '../../core/observers/operator-log.js';

/*
 * Warns of clients whose own options let them send a request after its call has given up. The server refuses such a
 * grant, except the first one of a process. Each warning appears once in a process, however many clients there are.
 */

const reported = new Set<string>();

function warnOnce(option: string, remedy: string): void {
  const message = `the Redis client of the lock store has ${option}, so it can send a request after its call has given up: ${remedy}`;
  if (reported.has(message)) return;
  reported.add(message);
  warn(message);
}

/** The options of ioredis that decide about sending again. A client of your own has none of them. */
interface IORedisOptions {
  readonly maxRetriesPerRequest?: unknown;
  readonly retryStrategy?: unknown;
  readonly autoResendUnfulfilledCommands?: unknown;
  readonly lazyConnect?: unknown;
  readonly enableOfflineQueue?: unknown;
  /** Only of a cluster. */
  readonly retryDelayOnFailover?: unknown;
}

/** Warns if a client of ioredis, or of a fork of it such as iovalkey, sends requests again by itself. */
export function warnIfIORedisResends(client: object): void {
  const { options } = client as { readonly options?: IORedisOptions | null };
  if (typeof options !== 'object' || options === null) return;
  const { maxRetriesPerRequest: retries, retryDelayOnFailover: delayMs } = options;
  if (typeof delayMs === 'number') {
    if (delayMs > 0) warnOnce(`retryDelayOnFailover: ${delayMs}`, 'set retryDelayOnFailover: 0');
    return;
  }
  const reconnects = typeof options.retryStrategy === 'function' && options.autoResendUnfulfilledCommands !== false;
  if (retries !== undefined && retries !== 0 && reconnects) {
    warnOnce(
      `maxRetriesPerRequest: ${String(retries)}`,
      'pass the store a client of its own, with maxRetriesPerRequest: 0',
    );
  }
  const waits = options.lazyConnect === true && (client as { readonly status?: unknown }).status === 'wait';
  if (waits && options.enableOfflineQueue !== false) {
    warnOnce('lazyConnect: true', 'await client.connect() before the first run, or set enableOfflineQueue: false');
  }
}

/** Warns if a client of @upstash/redis sends requests again by itself. */
export function warnIfUpstashResends(redis: object): void {
  const { client } = redis as { readonly client?: { readonly retry?: { readonly attempts?: unknown } } };
  const attempts = client?.retry?.attempts;
  if (typeof attempts === 'number' && attempts > 0)
    warnOnce(`retries of its own (${attempts})`, 'set retry: { retries: 0 }');
}
