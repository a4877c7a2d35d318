import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ownEngine } from '../support/backends/stage.js';
import { builtCli } from '../support/built-cli.js';
import { listening } from '../support/loopback.js';
import { startTcpFaultProxy } from '../support/tcp-fault-proxy.js';
import { CLIENTS } from './stage.js';

const engines = { postgres: await ownEngine('postgres'), mysql: await ownEngine('mysql') };

/** A statement. A login has none. */
const STATEMENT = /SELECT |INSERT |UPDATE /i;

/** What the tool with this client says to `ls` on a server. */
async function listed(client: string, url: URL) {
  const [kind, ...packages] = CLIENTS[client] ?? [];
  const cli = await builtCli(packages);
  const end = await cli.run(['ls', `--${kind}-url`, url.href]);
  await cli.remove();
  return end;
}

describe.each([
  ['pg', 'postgres'],
  ['postgres.js', 'postgres'],
  ['mysql2', 'mysql'],
  ['mariadb', 'mysql'],
] as const)('over %s', (client, kind) => {
  test('row 146: F169 a connection that breaks right after its login ends no command', async () => {
    let broken = 0;
    const { server } = engines[kind];
    const proxy = await startTcpFaultProxy(server.port, (request) =>
      STATEMENT.test(request) && broken++ === 0 ? 'drop-request' : undefined,
    );
    const end = await listed(client, Object.assign(new URL(server.url), { port: String(proxy.port) }));
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
    const end = await listed(client, new URL(`${kind}://ada:secret@127.0.0.1:${port}/jobs`));
    closing.close();

    expect(connections).toBeGreaterThan(0);
    const stderr = expect.stringMatching(/^single-execution: list failed|^single-execution: list of lock/);
    expect(end).toEqual({ code: 1, stdout: '', stderr });
  });
});
