import { Redis } from '@upstash/redis/cloudflare';
import { withSingleExecution } from 'single-execution/cloudflare';
import { upstashStore } from 'single-execution/upstash';

/*
 * A Cloudflare Worker, every 15 minutes: keeps the latest exchange rates in a table of D1.
 *
 *   CREATE TABLE rates (base TEXT PRIMARY KEY, rates TEXT NOT NULL, as_of TEXT NOT NULL, fencing_token INTEGER NOT NULL)
 */

const FETCH_TIMEOUT_MS = 20_000;
const STORE_TIMEOUT_MS = 2_000;

/** What wrangler.jsonc binds and `wrangler secret put` keeps. `wrangler types` writes such an interface, too. */
interface Env {
  readonly DB: Database;
  readonly RATES_API_URL: string;
  readonly UPSTASH_REDIS_REST_URL: string;
  readonly UPSTASH_REDIS_REST_TOKEN: string;
}

/** What is used of `D1Database` of @cloudflare/workers-types. */
interface Database {
  prepare(sql: string): {
    bind(...values: (string | number)[]): { run(): Promise<{ readonly meta: { readonly changes: number } }> };
  };
}

interface Rates {
  readonly base: string;
  readonly date: string;
  readonly rates: Readonly<Record<string, number>>;
}

// biome-ignore lint/style/noDefaultExport: the default export of its main module is the Worker.
export default {
  scheduled: withSingleExecution(
    async (_controller, { DB, RATES_API_URL }: Env, _ctx, { signal, fencingToken }) => {
      await write(DB, await fetchRates(RATES_API_URL, signal), fencingToken);
    },
    {
      name: 'exchange-rates',
      // Made for each event: on Workers no connection outlives the event that opened it.
      store: ({ UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token }) =>
        upstashStore({
          redis: new Redis({ url, token, retry: { retries: 0 }, signal: () => AbortSignal.timeout(STORE_TIMEOUT_MS) }),
        }),
      // A run takes seconds, and the next is due in 15 minutes: one that was killed costs no more than its own tick.
      lockAtMostFor: '5m',
    },
  ),
};

async function fetchRates(url: string, signal: AbortSignal): Promise<Rates> {
  const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]) });
  if (!response.ok) throw new Error(`exchange rates failed: HTTP ${response.status}`);
  return (await response.json()) as Rates;
}

/**
 * Nothing stops a statement on its way to D1. A run that has lost its lock without noticing is stopped by the
 * condition: it cannot overwrite what its successor wrote. The same token is this run's own.
 */
async function write(db: Database, { base, date, rates }: Rates, fencingToken: number): Promise<void> {
  const { meta } = await db
    .prepare(
      `INSERT INTO rates (base, rates, as_of, fencing_token) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (base) DO UPDATE
         SET rates = excluded.rates, as_of = excluded.as_of, fencing_token = excluded.fencing_token
         WHERE rates.fencing_token <= excluded.fencing_token`,
    )
    .bind(base, JSON.stringify(rates), date, fencingToken)
    .run();
  if (meta.changes === 0) throw new Error(`exchange rates of ${base} were written by a later run`);
}
