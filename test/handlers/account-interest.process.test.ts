import { Pool } from 'pg';
import { createPostgresTable } from 'single-execution/postgres';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';
import { failureOf } from '../support/settled.js';
import { startTcpFaultProxy, type TcpFaultProxy } from '../support/tcp-fault-proxy.js';

/*
 * Tests the example on a real PostgreSQL, with its transaction and its conditions.
 */

const NEWER = 9e15;

let server: PostgresServer;
let proxy: TcpFaultProxy;
let pool: Pool;
let payInterest: typeof import('../../handlers/account-interest.process.js')['payInterest'];
let months = 0;

beforeAll(async () => {
  server = await startPostgresServer();
  proxy = await startTcpFaultProxy(server.port, () => undefined);
  vi.stubEnv('DATABASE_URL', server.url.replace(String(server.port), String(proxy.port)));
  vi.stubEnv('RATE_API_URL', 'https://rates.example/interest');
  pool = new Pool({ connectionString: server.url });
  pool.on('error', () => undefined);
  await createPostgresTable(pool);
  await pool.query(`
    CREATE TABLE accounts (id TEXT PRIMARY KEY, balance_cents BIGINT NOT NULL);
    CREATE TABLE interest (account_id TEXT, month DATE, cents BIGINT NOT NULL, PRIMARY KEY (account_id, month));
    CREATE TABLE interest_rate (basis_points INTEGER NOT NULL, fencing_token BIGINT NOT NULL);
    INSERT INTO interest_rate VALUES (0, 0);
  `);
  ({ payInterest } = await import('../../handlers/account-interest.process.js'));
}, 120_000);
afterAll(async () => {
  await pool.end();
  await proxy.stop();
  await server.stop();
});
beforeEach(async () => {
  vi.spyOn(console, 'info').mockReturnValue();
  vi.stubGlobal('fetch', async () => Response.json({ basisPoints: 120 }));
  await pool.query(`
    UPDATE interest_rate SET fencing_token = 0;
    DELETE FROM accounts;
    INSERT INTO accounts VALUES ('a', 100000), ('b', 200000);
  `);
});

/** Calls the job as node-cron does. */
const due = (date: Date) => {
  const task = { date, triggeredAt: date };
  return payInterest(task);
};
/** A later month for each test, because the lock remembers the ticks that are done. */
const nextTick = () => new Date(Date.UTC(2025, months++, 1, 1));
const balances = async () =>
  (await pool.query('SELECT balance_cents FROM accounts ORDER BY id')).rows.map((row) => Number(row.balance_cents));

test('pays each account once for a tick that comes twice, at once or later', async () => {
  const date = nextTick();
  const results = await Promise.all([due(date), due(date)]);

  expect(results).toContainEqual({ month: '2025-01-01', paid: 2 });
  expect(await due(date)).toMatchObject({ status: 'skipped', reason: 'already-executed' });
  expect(await balances()).toEqual([100_100, 200_200]);
});

test('pays only the rest when a run of the tick has failed half-way', async () => {
  const date = nextTick();
  await pool.query('ALTER TABLE accounts ADD CONSTRAINT full_up CHECK (balance_cents <= 200000)');
  await expect(due(date)).rejects.toThrow('full_up');
  expect(await balances()).toEqual([100_100, 200_000]);

  await pool.query('ALTER TABLE accounts DROP CONSTRAINT full_up');
  expect(await due(date)).toMatchObject({ paid: 1 });
  expect(await balances()).toEqual([100_100, 200_200]);
});

test('row 7: publishes no rate, and pays nothing, once a later run has published its own', async () => {
  await pool.query('UPDATE interest_rate SET basis_points = 7, fencing_token = $1', [NEWER]);

  await expect(due(nextTick())).rejects.toThrow('a later run has published a rate');
  expect((await pool.query('SELECT basis_points FROM interest_rate')).rows).toEqual([{ basis_points: 7 }]);
  expect(await balances()).toEqual([100_000, 200_000]);
});

test('row 7: stops between two accounts when a later run publishes its rate', async () => {
  await pool.query(`
    CREATE FUNCTION overtake() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN UPDATE interest_rate SET fencing_token = ${NEWER}; RETURN NULL; END $$;
    CREATE TRIGGER overtake AFTER UPDATE ON accounts EXECUTE FUNCTION overtake();
  `);

  await expect(due(nextTick())).rejects.toThrow('a later run has published a rate');
  expect(await balances()).toEqual([100_100, 200_000]);
  await pool.query('DROP FUNCTION overtake CASCADE');
});

test('fails if the rate cannot be had, and runs when the tick comes again', async () => {
  const date = nextTick();
  vi.stubGlobal('fetch', async () => new Response('down', { status: 503 }));
  await expect(due(date)).rejects.toThrow('the interest rate failed: HTTP 503');

  vi.stubGlobal('fetch', async () => Response.json({ basisPoints: 120 }));
  expect(await due(date)).toMatchObject({ paid: 2 });
});

test('F135 a connection that breaks within a payment fails the run, and the process goes on', async () => {
  const date = nextTick();
  const told = vi.spyOn(console, 'error').mockReturnValue();
  const blocker = await pool.connect();
  await blocker.query("BEGIN; SELECT 1 FROM accounts WHERE id = 'b' FOR UPDATE");
  const run = failureOf<Error>(due(date));
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  await expect.poll(async () => (await pool.query(waiting)).rowCount).toBe(1);
  proxy.goAway();
  await proxy.comeBack();

  expect((await run).message).toBe('Connection terminated unexpectedly');
  expect(told.mock.calls.flat()).toContain('Connection terminated unexpectedly');
  await blocker.query('ROLLBACK');
  blocker.release();
  expect(await due(date)).toMatchObject({ paid: 1 });
  expect(await balances()).toEqual([100_100, 200_200]);
});
