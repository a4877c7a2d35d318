import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { builtCli } from '../support/built-cli.js';
import { listening } from '../support/loopback.js';
import { startTcpFaultProxy } from '../support/tcp-fault-proxy.js';

const engines = { postgres: await ownEngine('postgres'), mysql: await ownEngine('mysql') };

/** A statement. A login has none. */
const STATEMENT = /SELECT |INSERT |UPDATE /i;

const CLIENTS = [
  ['pg', 'postgres', ['pg']],
  ['postgres.js', 'postgres', ['postgres']],
  ['mysql2', 'mysql', ['mysql2']],
  ['mariadb', 'mysql', ['mariadb']],
] as const;

/** What the tool with these packages says to `ls` on a server. */
async function listed(packages: readonly string[], kind: string, url: URL) {
  const cli = await builtCli(packages);
  const end = await cli.run(['ls', `--${kind}-url`, url.href]);
  await cli.remove();
  return end;
}

describe.each(CLIENTS)('over %s', (_, kind, packages) => {
  test('row 146: F169 a connection that breaks right after its login ends no command', async () => {
    let broken = 0;
    const { server } = engines[kind];
    const proxy = await startTcpFaultProxy(server.port, (request) =>
      STATEMENT.test(request) && broken++ === 0 ? 'drop-request' : undefined,
    );
    const end = await listed(packages, kind, Object.assign(new URL(server.url), { port: String(proxy.port) }));
    await proxy.stop();

    expect(broken).toBeGreaterThan(1);
    expect(end).toEqual({ code: 0, stdout: '', stderr: 'no locks\n' });
  });

  test('F171 a server that closes each connection at once is an error', async () => {
    let connections = 0;
    const closing = createServer((socket) => {
      connections++;
      socket.on('error', () => undefined).end();
    });
    const port = await listening(closing);
    const end = await listed(packages, kind, new URL(`${kind}://ada:secret@127.0.0.1:${port}/jobs`));
    closing.close();

    expect(connections).toBeGreaterThan(0);
    const stderr = expect.stringMatching(/^single-execution: list failed|^single-execution: list of lock/);
    expect(end).toEqual({ code: 1, stdout: '', stderr });
  });
});
