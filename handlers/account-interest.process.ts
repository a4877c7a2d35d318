import { Pool } from 'pg';
import type { Execution } from 'single-execution';
import { postgresStore } from 'single-execution/postgres';
import { withSingleExecution } from 'single-execution/process';

/*
 * Pays interest into every account once a month, at 01:00 UTC on the first, in a long-lived process. Give it to the
 * scheduler of every process: `cron.schedule('0 1 1 * *', payInterest)`. Locks and accounts are in one Postgres:
 *
 *   CREATE TABLE accounts (id TEXT PRIMARY KEY, balance_cents BIGINT NOT NULL);
 *   CREATE TABLE interest (account_id TEXT, month DATE, cents BIGINT NOT NULL, PRIMARY KEY (account_id, month));
 *   CREATE TABLE interest_rate (basis_points INTEGER NOT NULL, fencing_token BIGINT NOT NULL);
 *   INSERT INTO interest_rate VALUES (0, 0);
 */

const { DATABASE_URL = '', RATE_API_URL = '' } = process.env;
const FETCH_TIMEOUT_MS = 10_000;

// A statement that waits for a dead connection fails after this time, and so does the run. The next run goes on.
const pool = new Pool({ connectionString: DATABASE_URL, connectionTimeoutMillis: 2_000, query_timeout: 10_000 });
// The locks have a pool of their own, whose statements are short.
const locks = new Pool({
  connectionString: DATABASE_URL,
  max: 2,
  connectionTimeoutMillis: 2_000,
  query_timeout: 2_000,
});
const log = (error: Error) => console.error(error.message);
// Without these listeners, the process ends when Postgres closes a connection: an idle one, or one of a transaction.
for (const each of [pool, locks]) each.on('error', log).on('connect', (client) => client.on('error', log));

export const payInterest = withSingleExecution(
  async (_task: { readonly date: Date }, { tick, lockedAt, signal, fencingToken }: Execution) => {
    const month = `${(tick ?? lockedAt).toISOString().slice(0, 7)}-01`;
    await publishRate(await fetchRate(signal), fencingToken);
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM accounts ORDER BY id');
    let paid = 0;
    for (const { id } of rows) {
      signal.throwIfAborted();
      if (await payOnce(id, month, fencingToken)) paid++;
    }
    return { month, paid };
  },
  { name: 'account-interest', store: postgresStore({ client: locks }), keepAlive: true, tick: 'event' },
);

async function fetchRate(signal: AbortSignal): Promise<number> {
  const response = await fetch(RATE_API_URL, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]),
  });
  if (!response.ok) throw new Error(`the interest rate failed: HTTP ${response.status}`);
  return ((await response.json()) as { readonly basisPoints: number }).basisPoints;
}

async function publishRate(basisPoints: number, fencingToken: number): Promise<void> {
  const { rowCount } = await pool.query(
    'UPDATE interest_rate SET basis_points = $2, fencing_token = $1 WHERE fencing_token < $1',
    [fencingToken, basisPoints],
  );
  if (rowCount === 0) throw new Error('a later run has published a rate');
}

async function payOnce(accountId: string, month: string, fencingToken: number): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    // Lock the row, so that a later run cannot publish its rate until this payment is committed.
    const newest = await client.query('SELECT 1 FROM interest_rate WHERE fencing_token = $1 FOR SHARE', [fencingToken]);
    if (newest.rowCount === 0) throw new Error('a later run has published a rate');
    // The month of the tick is part of the key: a second run of the tick inserts nothing, and pays nothing.
    const payment = await client.query<{ cents: string }>(
      `INSERT INTO interest (account_id, month, cents)
       SELECT id, $2::date, balance_cents * basis_points / 120000 FROM accounts, interest_rate WHERE id = $1
       ON CONFLICT DO NOTHING RETURNING cents`,
      [accountId, month],
    );
    for (const { cents } of payment.rows) {
      await client.query('UPDATE accounts SET balance_cents = balance_cents + $2 WHERE id = $1', [accountId, cents]);
    }
    await client.query('COMMIT');
    client.release();
    return payment.rows.length > 0;
  } catch (error) {
    // Close the connection: the server then rolls back, even if no ROLLBACK would reach it.
    client.release(true);
    throw error;
  }
}
