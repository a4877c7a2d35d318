import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { cliStage } from '../stage.js';
import { consoleOf, type StartedConsole } from './stage.js';

const stage = cliStage();

/** What a browser, or another program, can have sent when the console is asked to end. */
const SENT: Readonly<Record<string, (at: StartedConsole) => string>> = {
  nothing: () => '',
  'half a head': ({ port }) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`,
  'half a body': ({ port, token }) =>
    `POST /api/locks/job/pause HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  'a request, and keeps its connection': ({ port }) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
};

async function connected({ port }: StartedConsole): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'row 177: by %s the console ends, whatever its connections wait for',
  async (signal) => {
    const { cli, on } = stage();
    const { child, ended } = cli.start(['console', ...on('redis').args]);
    const at = await consoleOf(child);
    for (const sent of Object.values(SENT)) (await connected(at)).write(sent(at));
    // Once this request is answered, the console has seen the connections before it.
    expect((await at.ask('/api/locks')).status).toBe(200);

    child.kill(signal);
    expect((await ended).code).toBe(0);
  },
);
