import { Pool } from 'pg';
import { postgresStore } from 'single-execution/postgres';
import { type ContractHarness, lockStoreContract } from 'single-execution/testing';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { ownEngine } from '../../support/backends/stage.js';
import { memberCases } from '../../support/member-cases.js';
import { startPgBouncer } from '../../support/pgbouncer.js';
import { postgresStatements, sqlHarness } from '../../support/sql-harness.js';

const { server } = await ownEngine('postgres');
const bouncer = await startPgBouncer(server.url);
afterAll(() => bouncer.stop());

// test/clients/postgres.proof.test.ts plays it over all other clients.
describe.concurrent('row 131: postgresStore over a Pool of pg and pgbouncer in transaction mode keeps the contract of all stores', () => {
  let client: Pool;
  let harness: ContractHarness;

  beforeAll(() => {
    client = new Pool({ connectionString: bouncer.url });
    const keyPrefix = 'pgbouncer:';
    const store = postgresStore({ client, keyPrefix });
    const rows = async (text: string, values: unknown[]) => (await client.query(text, values)).rows;
    harness = sqlHarness({ store, keyPrefix, rows, ...postgresStatements() });
  });
  afterAll(() => client.end());

  for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(harness));
});
