import { EventEmitter } from 'node:events';
import { Pool } from 'pg';
import { type PostgresClient, postgresStore } from 'single-execution/postgres';
import { DRIVERS } from '../../clients/postgres-drivers.js';
import { postgres } from '../../support/backends/postgres.js';
import { freshPlace } from '../../support/backends.js';
import { postgresProtocol } from '../wire/postgres-protocol.js';
import { readStatement, verbsOf } from '../wire/sql-request.js';
import { tcpWire } from '../wire/tcp-wire.js';
import type { Route } from './route.js';

interface Opened {
  readonly client: PostgresClient;
  close(): unknown;
}

/** The clients: pg set as docs/stores/postgres.md says, and packages with their defaults. */
export type PostgresClientName = 'pg' | 'pg, its defaults' | 'postgres.js';

const DEFAULTS: Readonly<Record<Exclude<PostgresClientName, 'pg'>, readonly [name: string, kind: string]>> = {
  'pg, its defaults': ['pg', 'Pool'],
  'postgres.js': ['postgres', 'postgres()'],
};

async function connected(name: PostgresClientName, url: string, silenceMs: number): Promise<Opened> {
  if (name === 'pg') {
    const times = { connectionTimeoutMillis: silenceMs, query_timeout: silenceMs };
    const pool = new Pool({ connectionString: url, max: 2, ...times });
    return ignoringErrors({ client: pool, close: () => void pool.end() });
  }
  const [wanted, kind] = DEFAULTS[name];
  const driver = DRIVERS.find((one) => one.package === wanted && one.kind === kind);
  if (driver === undefined) throw new Error(`${name} is not in the list of clients`);
  const { client, close } = await driver.connect(url);
  return ignoringErrors({ client, close: () => void close()?.catch(() => undefined) });
}

/** Ignores the event of a pool that an idle connection broke: the statement that needed a connection rejects too. */
function ignoringErrors(opened: Opened): Opened {
  const { on } = opened.client as Partial<Pick<Pool, 'on'>>;
  if (opened.client instanceof EventEmitter) on?.call(opened.client, 'error', () => undefined);
  return opened;
}

/** @param silenceMs how long the client waits for a connection that is silent, if it is set so */
export async function postgresRoute(name: PostgresClientName, silenceMs: number): Promise<Route> {
  const engine = await postgres.start();
  const { url, place: table } = await freshPlace(engine);
  const urlOf = (port: number) => String(Object.assign(new URL(url), { port }));
  const terminator = new Pool({ connectionString: url, max: 2 });
  return {
    wire: (during) =>
      tcpWire(
        engine.server.port,
        urlOf,
        postgresProtocol(terminator, (statement) => readStatement(statement, during())),
      ),
    async connect(wire) {
      const { client, close } = await connected(name, wire?.url ?? url, silenceMs);
      return {
        open(keyPrefix) {
          const store = postgresStore({ client, table, keyPrefix });
          return { store, admin: store };
        },
        close,
      };
    },
    verbsOf,
    async stop() {
      await terminator.end();
      await engine.stop();
    },
  };
}
