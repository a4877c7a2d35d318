import { Pool } from 'pg';
import postgres from 'postgres';
import { executeWithLock } from 'single-execution';
import { postgresStore } from 'single-execution/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { postgresProtocol } from '../../faults/wire/postgres-protocol.js';
import { tcpWire } from '../../faults/wire/tcp-wire.js';
import { ownEngine } from '../../support/backends/stage.js';
import { call } from '../../support/one-run.js';

const { server } = await ownEngine('postgres');

/** As docs/stores/postgres.md says. */
const SETTINGS = { idle_timeout: 5, connect_timeout: 2, fetch_types: false };

/** Whether a statement is the question for the types of arrays, which postgres.js asks with its defaults. */
const isForTypes = ({ verb }: { readonly verb: string }) => verb.includes('pg_catalog.pg_type');

/** A server that ends the first connection that comes with a statement of this kind. */
async function endingServer(isEnded: (statement: { readonly verb: string }) => boolean) {
  const terminator = new Pool({ connectionString: server.url, max: 1 });
  const urlOf = (port: number) => String(Object.assign(new URL(server.url), { port }));
  const protocol = postgresProtocol(terminator, ({ text }) => ({ verb: text }));
  const wire = await tcpWire(server.port, urlOf, protocol);
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
