import { createServer } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { RowDataPacket } from 'mysql2/promise';
import { afterAll, expect, test } from 'vitest';
import { planetscaleFetch } from '../clients/planetscale-fetch.js';
import { ownEngine } from '../support/backends/stage.js';
import { closed, listening } from '../support/loopback.js';
import { bundleWorker, startWorker } from './workerd.js';

/*
 * A Worker in the real workerd, with its locks in the D1 and in the Durable Objects that are bound to it, and over HTTP in
 * a real PostgreSQL, and in a real MariaDB by PlanetScale's client.
 */

const { pool } = await ownEngine('postgres');
const { pool: mysqlPool } = await ownEngine('mysql');
/** An HTTP server that runs each statement on any connection of a pool, as Neon's proxy does. */
const bridge = createServer(async (request, response) => {
  const { query, params } = (await json(request)) as { query: string; params: unknown[] };
  const answer = await pool.query(query, params).then(
    ({ rows }) => ({ status: 200, body: { rows } }),
    ({ message, code }) => ({ status: 400, body: { message, code } }),
  );
  response.writeHead(answer.status).end(JSON.stringify(answer.body));
});
const sqlUrl = `http://127.0.0.1:${await listening(bridge)}/sql`;
afterAll(() => closed(bridge));
const askMysql = planetscaleFetch(mysqlPool);
const planetscale = createServer(async (request, response) => {
  const answer = await askMysql('', { body: await text(request) });
  response.end(await answer.text());
});
const mysqlUrl = `http://127.0.0.1:${await listening(planetscale)}/`;
afterAll(() => closed(planetscale));
const bundle = await bundleWorker(fileURLToPath(new URL('./sql.worker.ts', import.meta.url)));
const bindings = { SQL_URL: sqlUrl, MYSQL_URL: mysqlUrl };
const worker = await startWorker(bundle, bindings, { objects: { LOCKS: 'LockObject' } });
afterAll(() => worker.stop());
expect(JSON.parse(await worker.ask('/tables'))).toEqual([]);

const recordOf = {
  d1: () => worker.database.prepare('SELECT record FROM single_execution_locks WHERE name = ?').bind('d1').first(),
  objects: async () => ({ record: await worker.ask('/record') }),
  postgres: async () => (await pool.query("SELECT record FROM single_execution_locks WHERE name = 'postgres'")).rows[0],
  mysql: async () =>
    (await mysqlPool.query<RowDataPacket[]>("SELECT record FROM single_execution_locks WHERE name = 'mysql'"))[0][0],
};

test.each([
  ['row 132: D1, bound to it', 'd1'],
  ['row 217: Durable Objects, bound to it', 'objects'],
  ['row 131: Postgres over HTTP', 'postgres'],
  ['row 206: MySQL over HTTP', 'mysql'],
] as const)('%s: a Worker that is triggered twice at once runs once, and once more not at all', async (_, kind) => {
  const tick = '2026-01-01T00:15:00.000Z';
  const ends = async () => {
    const types: string[] = JSON.parse(await worker.ask('/events'));
    return types.filter((type) => type === 'finished' || type === 'skipped').sort();
  };

  expect(await Promise.all([worker.trigger(tick, kind), worker.trigger(tick, kind)])).toEqual(['ok', 'ok']);
  expect(await ends()).toEqual(['finished', 'skipped']);
  expect(await worker.trigger(tick, kind)).toBe('ok');
  expect(await ends()).toEqual(['skipped']);
  const { record } = (await recordOf[kind]()) as { record: string };
  const stored = { state: 'released', result: 'succeeded', doneTick: Date.parse(tick) };
  expect(JSON.parse(record)).toMatchObject(kind === 'objects' ? { state: 'free', doneTick: tick } : stored);
  expect(await worker.lost()).toEqual([]);
});

test('row 217: the Worker serves the health of the jobs in its Durable Objects', async () => {
  await worker.trigger(new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString(), 'objects');

  expect(JSON.parse(await worker.ask('/health'))).toMatchObject({ status: 'ok', jobs: [{ name: 'objects' }] });
});
