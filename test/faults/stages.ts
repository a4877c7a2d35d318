import type { Kind } from '../support/backends.js';
import type { ClientAge } from './clients.js';
import type { MysqlClientName } from './routes/mysql.js';
import type { PostgresClientName } from './routes/postgres.js';
import type { RedisClientName } from './routes/redis.js';

/** How requests reach an engine, which decides what can happen to them. */
export type Way =
  | 'DynamoDB'
  | 'Redis'
  | 'Upstash'
  | 'Postgres'
  | 'MySQL'
  | 'libSQL'
  | 'a file of SQLite'
  | 'Durable Objects'
  | 'Azure';

interface Common {
  readonly title: string;
  /**
   * What `npm test` plays of it: the cases in which a fault strikes one request, which wait less; or none. The proof
   * plays the others, but a client that is only another version is left to `npm run test:versions`.
   */
  readonly inTest: 'once' | 'none' | 'version';
  /** How long the client itself waits for an answer. Absent for a client that waits longer than a try. */
  readonly silenceMs?: number;
}

/** A client, and what is special about it. */
export type StageOptions = Common &
  (
    | { readonly way: 'DynamoDB'; readonly clients: ClientAge; readonly retriesItself?: true }
    | { readonly way: 'Upstash'; readonly clients: ClientAge }
    | { readonly way: 'Redis'; readonly client: RedisClientName; readonly silenceMs: number }
    | { readonly way: 'Postgres'; readonly client: PostgresClientName }
    | { readonly way: 'MySQL'; readonly client: MysqlClientName }
    | { readonly way: 'libSQL' | 'a file of SQLite' | 'Durable Objects' | 'Azure' }
  );

/** Shorter than a try, so that a client's own timeout ends it. */
const QUERY_MS = 700;
/** Shorter than half a cancel, which waits on the only connection until it is closed. */
const SOCKET_MS = 350;

/**
 * The stages on which the table is played, for each store of the list of backends: the oldest supported client, the
 * newest, and more. A store in memory has no requests that a fault could strike.
 */
export const STAGES: Readonly<Record<Exclude<Kind, 'memory'>, readonly StageOptions[]>> = {
  dynamodb: [
    { title: 'the newest client', way: 'DynamoDB', clients: 'newest', inTest: 'once' },
    { title: 'the oldest client', way: 'DynamoDB', clients: 'oldest', inTest: 'version' },
    { title: 'a tree with several copies of its core', way: 'DynamoDB', clients: 'copied', inTest: 'version' },
    {
      title: 'a client that tries again by itself',
      way: 'DynamoDB',
      clients: 'newest',
      // As it does by default.
      retriesItself: true,
      inTest: 'none',
    },
  ],
  redis: [
    { title: 'ioredis', way: 'Redis', client: 'ioredis', silenceMs: SOCKET_MS, inTest: 'once' },
    { title: 'node-redis', way: 'Redis', client: 'node-redis', silenceMs: SOCKET_MS, inTest: 'none' },
  ],
  upstash: [
    { title: 'the newest client', way: 'Upstash', clients: 'newest', inTest: 'once' },
    { title: 'the oldest client', way: 'Upstash', clients: 'oldest', inTest: 'version' },
  ],
  postgres: [
    { title: 'pg', way: 'Postgres', client: 'pg', silenceMs: QUERY_MS, inTest: 'once' },
    { title: 'pg, its defaults', way: 'Postgres', client: 'pg, its defaults', inTest: 'none' },
    { title: 'postgres.js', way: 'Postgres', client: 'postgres.js', inTest: 'none' },
  ],
  mysql: [
    { title: 'mysql2', way: 'MySQL', client: 'mysql2', inTest: 'once' },
    { title: 'mysql2, its defaults', way: 'MySQL', client: 'mysql2, its defaults', inTest: 'none' },
    { title: 'mariadb', way: 'MySQL', client: 'mariadb', inTest: 'none' },
  ],
  sqlite: [
    { title: 'libSQL over HTTP', way: 'libSQL', inTest: 'once' },
    { title: 'better-sqlite3 on a file', way: 'a file of SQLite', inTest: 'none' },
  ],
  'durable-objects': [{ title: 'through a Worker in workerd', way: 'Durable Objects', inTest: 'once' }],
  azure: [{ title: '@azure/data-tables', way: 'Azure', inTest: 'none' }],
};
