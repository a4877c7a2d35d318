import { Pool } from 'pg';
import { createPostgresTable } from 'single-execution/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtCli } from '../support/built-cli.js';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.js';
import { startTcpFaultProxy } from '../support/tcp-fault-proxy.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer();
  const client = new Pool({ connectionString: server.url });
  await createPostgresTable(client);
  await client.end();
});
afterAll(() => server?.stop());

/** A statement. A login has none. */
const STATEMENT = /SELECT |INSERT |UPDATE /i;

test.each([['pg', ['pg']] as const, ['postgres.js', ['postgres']] as const])(
  'row 146: F169 over %s a connection that breaks right after its login ends no command',
  async (_, packages) => {
    let broken = 0;
    const proxy = await startTcpFaultProxy(server.port, (request) =>
      STATEMENT.test(request) && broken++ === 0 ? 'drop-request' : undefined,
    );
    const cli = await builtCli(packages);
    const url = Object.assign(new URL(server.url), { port: String(proxy.port) });
    const end = await cli.run(['ls', '--postgres-url', String(url)]);
    await cli.remove();
    await proxy.stop();

    expect(broken).toBeGreaterThan(1);
    expect(end).toEqual({ code: 0, stdout: '', stderr: 'no locks\n' });
  },
);
