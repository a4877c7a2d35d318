import { Client } from '@planetscale/database';
import type { LockEvent, LockStore } from 'single-execution';
import { healthRoute, lockAdmin } from 'single-execution/admin';
import { type ExecutionContext, type ScheduledController, withSingleExecution } from 'single-execution/cloudflare';
import { durableObjectStore, type LockNamespace } from 'single-execution/durable-objects';
import { createMysqlTable, mysqlStore } from 'single-execution/mysql';
import { createPostgresTable, type PostgresQueryClient, postgresStore } from 'single-execution/postgres';
import { createSqliteTable, type SqliteClient, sqliteStore } from 'single-execution/sqlite';

/*
 * A Worker whose cron expression chooses where its locks are: in D1, in Durable Objects or, over HTTP, in Postgres or
 * MySQL.
 */

export { LockObject } from 'single-execution/durable-objects';

interface Env {
  readonly DB: SqliteClient;
  readonly LOCKS: LockNamespace;
  /** The URL to which statements for Postgres are sent. */
  readonly SQL_URL: string;
  /** The URL of a server that answers as PlanetScale's does. */
  readonly MYSQL_URL: string;
}

const STORES: Readonly<Record<string, (env: Env) => LockStore>> = {
  d1: ({ DB }) => sqliteStore({ client: DB }),
  objects: ({ LOCKS }) => durableObjectStore(LOCKS),
  postgres: ({ SQL_URL }) => postgresStore({ client: neon(SQL_URL) }),
  mysql: ({ MYSQL_URL }) => mysqlStore({ client: planetscale(MYSQL_URL) }),
};

const planetscale = (url: string) =>
  new Client({ host: 'planetscale.example', fetch: (_, init) => fetch(url, init as RequestInit) });

const events: LockEvent[] = [];

const jobOn = (kind: string, store: (env: Env) => LockStore) =>
  withSingleExecution(async (_controller: ScheduledController, _env: Env) => undefined, {
    name: kind,
    store,
    schedule: '1h',
    lockAtMostFor: '1m',
    observers: [(event) => events.push(event)],
  });

const jobs = Object.fromEntries(Object.entries(STORES).map(([kind, store]) => [kind, jobOn(kind, store)]));

// biome-ignore lint/style/noDefaultExport: the default export of its main module is the Worker.
export default {
  scheduled: (controller: ScheduledController, env: Env, ctx: ExecutionContext) =>
    jobs[controller.cron]?.(controller, env, ctx),

  async fetch(request: Request, { DB, SQL_URL, MYSQL_URL, LOCKS }: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    const admin = lockAdmin(durableObjectStore(LOCKS));
    if (pathname === '/health') return healthRoute({ admin, secret: false })(request);
    if (pathname === '/record') return Response.json(await admin.get('objects'));
    if (pathname === '/tables') {
      await Promise.all([
        createSqliteTable(DB),
        createPostgresTable(neon(SQL_URL)),
        createMysqlTable(planetscale(MYSQL_URL)),
      ]);
    }
    return Response.json(events.splice(0).map(({ type }) => type));
  },
};

/** A client like `neon()` of @neondatabase/serverless: it sends each statement as its own HTTP request. */
function neon(url: string): PostgresQueryClient {
  const template = () => Promise.reject(new Error('no template is used'));
  return Object.assign(template, {
    async query(query: string, params: (string | number)[]) {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ query, params }) });
      const answer = (await response.json()) as { rows: object[]; message?: string; code?: string };
      if (!response.ok) throw Object.assign(new Error(answer.message), { code: answer.code });
      return answer.rows;
    },
  });
}
