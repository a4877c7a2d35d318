import { createServer } from 'node:net';
import { expect, test } from 'vitest';
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

test.each(CLIENTS)(
  'row 146: F169 over %s a connection that breaks right after its login ends no command',
  async (_, kind, packages) => {
    let broken = 0;
    const { server } = engines[kind];
    const proxy = await startTcpFaultProxy(server.port, (request) =>
      STATEMENT.test(request) && broken++ === 0 ? 'drop-request' : undefined,
    );
    const cli = await builtCli(packages);
    const url = Object.assign(new URL(server.url), { port: String(proxy.port) });
    const end = await cli.run(['ls', `--${kind}-url`, String(url)]);
    await cli.remove();
    await proxy.stop();

    expect(broken).toBeGreaterThan(1);
    expect(end).toEqual({ code: 0, stdout: '', stderr: 'no locks\n' });
  },
);

test.each(CLIENTS)(
  'F171 over %s a server that closes each connection at once is an error',
  async (_, kind, packages) => {
    let connections = 0;
    const closing = createServer((socket) => {
      connections++;
      socket.on('error', () => undefined);
      socket.end();
    });
    const port = await listening(closing);
    const cli = await builtCli(packages);
    const end = await cli.run(['ls', `--${kind}-url`, `${kind}://ada:secret@127.0.0.1:${port}/jobs`]);
    await cli.remove();
    closing.close();

    expect(connections).toBeGreaterThan(0);
    expect(end).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^single-execution: list failed|^single-execution: list of lock/),
    });
  },
);
