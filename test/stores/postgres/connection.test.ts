import { chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import postgres from 'postgres';
import { executeWithLock } from 'single-execution';
import { type PostgresClient, postgresStore } from 'single-execution/postgres';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { POSTGRES_ERRORS } from '../../../src/stores/postgres/postgres-errors.js';
import { explain } from '../../../src/stores/sql/sql-errors.js';
import { postgresProtocol } from '../../faults/wire/postgres-protocol.js';
import { tcpWire } from '../../faults/wire/tcp-wire.js';
import { ownEngine } from '../../support/backends/stage.js';
import { callOfTries } from '../../support/contract-harness.js';
import { call, claim } from '../../support/one-run.js';
import { failureOf, says } from '../../support/settled.js';
import { EXPIRED_CERTIFICATE, TEST_CERTIFICATE, TEST_KEY } from '../../support/test-certificates.js';

const { server, pool } = await ownEngine('postgres');

interface Connection {
  readonly url?: string;
  readonly ssl?: object | true;
}

const CLIENTS: Readonly<Record<string, (connection: Connection) => PostgresClient>> = {
  pg({ url = server.url, ssl }) {
    const client = new Pool({ connectionString: url, ...(ssl && { ssl }) });
    client.on('error', () => undefined);
    onTestFinished(() => client.end());
    return client;
  },
  'postgres.js'({ url = server.url, ssl }) {
    const client = postgres(url, { max: 1, ...(ssl && { ssl }) });
    onTestFinished(() => client.end({ timeout: 0 }));
    return client;
  },
};

const failure = (client: PostgresClient) => failureOf(postgresStore({ client }).acquire(claim(), callOfTries(1)));
const changed = (change: Partial<URL>) => String(Object.assign(new URL(server.url), change));

describe.each(Object.entries(CLIENTS))('F133 a mistake in the connection, by %s', (name, connect) => {
  test.each<[string, Connection]>([
    ['a port that is none', { url: server.url.replace(/:\d+\//, ':99999/') }],
    ['a port that is text', { url: server.url.replace(/:\d+\//, ':x/') }],
    ['a password that is not escaped', { url: server.url.replace('correct-horse', 'a/b#c') }],
    ['no scheme', { url: '127.0.0.1:5432/postgres' }],
    ['a host with a blank', { url: 'postgres://ada:secret@ho st:5432/postgres' }],
    ['a database that is not there', { url: changed({ pathname: 'nowhere' }) }],
  ])('%s is INVALID_REQUEST at once, without the URL', async (_, connection) => {
    // A postgres.js that cannot read a URL throws when it is made, so its user sees that error.
    let client: PostgresClient;
    try {
      client = connect(connection);
    } catch (error) {
      expect([name, (error as Error).name]).toEqual(['postgres.js', 'TypeError']);
      return;
    }
    const error = await failure(client);

    expect(error).toMatchObject({ code: 'INVALID_REQUEST', retryable: false });
    expect(`${error.stack}${JSON.stringify(error.cause)}`).not.toMatch(/correct-horse|secret/);
  });

  test.each<[string, Partial<URL>, string]>([
    ['a host that is not known', { hostname: 'nowhere.invalid' }, 'the host of Postgres was not found'],
    ['a host where nobody listens', { port: '1' }, 'Postgres could not be reached'],
  ])('%s is an outage, and says so', async (_, change, why) => {
    const client = connect({ url: changed(change) });
    const asked = 'unsafe' in client ? client.unsafe('SELECT 1', []) : (client as Pool).query('SELECT 1');

    expect(explain(POSTGRES_ERRORS, await failureOf(Promise.resolve(asked)), '"t"')).toEqual({
      code: 'UNAVAILABLE',
      isUnsent: true,
      why: expect.stringContaining(why),
    });
  });
});

test('F133 TLS that the server does not speak is INVALID_REQUEST in pg, which says so', async () => {
  expect(await failure(CLIENTS['pg']?.({ ssl: true }) as PostgresClient)).toMatchObject(
    says('INVALID_REQUEST', 'set ssl or sslmode of the client to what the server needs', { retryable: false }),
  );
});

describe('F133 a server with a certificate of its own', () => {
  const serve = async (certificate: string) => {
    const [row] = (await pool.query('SHOW data_directory')).rows as { data_directory: string }[];
    const folder = row?.data_directory ?? '';
    const { uid, gid } = await stat(folder);
    for (const [file, text] of [
      ['server.crt', certificate],
      ['server.key', TEST_KEY],
    ] as const) {
      await writeFile(join(folder, file), text, { mode: 0o600 });
      await chown(join(folder, file), uid, gid);
    }
    await pool.query('ALTER SYSTEM SET ssl = on');
    await pool.query('SELECT pg_reload_conf()');
    await vi.waitFor(async () => expect((await pool.query('SHOW ssl')).rows).toEqual([{ ssl: 'on' }]), 60_000);
  };
  beforeAll(() => serve(TEST_CERTIFICATE), 60_000);

  describe.each(Object.entries(CLIENTS))('%s', (_, connect) => {
    test.each<[string, object, string]>([
      ['that is not trusted', {}, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
      ['for another host', { ca: TEST_CERTIFICATE, servername: 'other.example' }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ])('%s is INVALID_REQUEST at once', async (__, ssl, code) => {
      expect(await failure(connect({ ssl: { rejectUnauthorized: true, ...ssl } }))).toMatchObject(
        says('INVALID_REQUEST', `(${code}); correct the address, certificates`, { retryable: false }),
      );
    });

    test('that is trusted lets a run in', async () => {
      const client = connect({ ssl: { ca: TEST_CERTIFICATE, servername: 'localhost' } });

      expect(await postgresStore({ client }).acquire(claim({ name: String(Math.random()) }), call())).toMatchObject({
        status: 'acquired',
      });
    });
  });

  test('that has expired is INVALID_REQUEST at once', async () => {
    await serve(EXPIRED_CERTIFICATE);
    // A reload is noticed by the next connection.
    const ssl = { ca: EXPIRED_CERTIFICATE, servername: 'localhost' };
    await vi.waitFor(
      async () =>
        expect(await failure(CLIENTS['pg']?.({ ssl }) as PostgresClient)).toMatchObject(
          says('INVALID_REQUEST', 'CERT_HAS_EXPIRED'),
        ),
      60_000,
    );
  });
});

/** As docs/stores/postgres.md says. */
const SETTINGS = { idle_timeout: 5, connect_timeout: 2, fetch_types: false };

/** Whether a statement is the question for the types of arrays, which postgres.js asks with its defaults. */
const isForTypes = ({ verb }: { readonly verb: string }) => verb.includes('pg_catalog.pg_type');

/** A server that ends the first connection that comes with a statement of this kind. */
async function endingServer(isEnded: (statement: { readonly verb: string }) => boolean) {
  const terminator = new Pool({ connectionString: server.url, max: 1 });
  const protocol = postgresProtocol(terminator, ({ text }) => ({ verb: text }));
  const wire = await tcpWire(server.url, protocol);
  wire.inject({ kind: 'terminate', at: 'before' }, { on: isEnded });
  onTestFinished(async () => {
    await wire.stop();
    await terminator.end();
  });
  return wire;
}

test('F169 with the settings of the page, the first statement on a connection of postgres.js is a statement of the store', async () => {
  const wire = await endingServer(() => true);
  const client = postgres(wire.url, SETTINGS);
  onTestFinished(() => client.end({ timeout: 0 }));

  const run = { name: 'first', store: postgresStore({ client }), lockAtMostFor: '1m', observers: [] } as const;
  expect(await executeWithLock(() => 'ran', run)).toMatchObject({ status: 'executed', release: 'released' });
  expect(wire.seen().some(isForTypes)).toBe(false);
  expect(wire.seen()[0]?.verb).toMatch(/^SELECT l\.name/);
});

test('with its defaults, postgres.js asks for the types of arrays first', async () => {
  const wire = await endingServer(() => false);
  const client = postgres(wire.url);
  onTestFinished(() => client.end({ timeout: 0 }));

  await postgresStore({ client }).get('first', call());
  expect(wire.seen().some(isForTypes)).toBe(true);
});
