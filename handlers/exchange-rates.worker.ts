import { Redis } from '@upstash/redis/cloudflare';
import { withSingleExecution } from 'single-execution/cloudflare';
import { upstashStore } from 'single-execution/upstash';

/*
 * A Cloudflare Worker that writes the latest exchange rates into a table of D1 every 15 minutes.
 *
 *   CREATE TABLE rates (base TEXT PRIMARY KEY, rates TEXT NOT NULL, as_of TEXT NOT NULL, fencing_token INTEGER NOT NULL)
 */

const FETCH_TIMEOUT_MS = 20_000;
const STORE_TIMEOUT_MS = 2_000;

/**
 * The bindings of wrangler.jsonc and the secrets of `wrangler secret put`. `wrangler types` can write this interface.
 */
interface Env {
  readonly DB: Database;
  readonly RATES_API_URL: string;
  readonly UPSTASH_REDIS_REST_URL: string;
  readonly UPSTASH_REDIS_REST_TOKEN: string;
}

/** The part of `D1Database` of @cloudflare/workers-types that this Worker uses. */
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

// biome-ignore lint/style/noDefaultExport: a Worker is the default export of its main module.
export default {
  scheduled: withSingleExecution(
    async (_controller, { DB, RATES_API_URL }: Env, _ctx, { signal, fencingToken }) => {
      await write(DB, await fetchRates(RATES_API_URL, signal), fencingToken);
    },
    {
      name: 'exchange-rates',
      // Make the store for each event: on Workers no connection outlives the event that opened it.
      store: ({ UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token }) =>
        upstashStore({
          redis: new Redis({ url, token, retry: { retries: 0 }, signal: () => AbortSignal.timeout(STORE_TIMEOUT_MS) }),
        }),
      // A run takes seconds. After a run that was killed, this lease is over before the next tick, which is due in 15
      // minutes.
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
 * Writes the rates, unless a later run has written them. Nothing stops a statement on its way to D1. So the condition
 * refuses the write of a run that has lost its lock without noticing: it cannot overwrite what its successor wrote. An
 * equal token is this run's own.
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
