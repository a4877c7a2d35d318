import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engines, startEngines } from '../support/backends/stage.js';
import { type BuiltCli, builtCli } from '../support/built-cli.js';
import { inThisRun } from '../support/in-this-run.js';
import { listening } from '../support/loopback.js';
import { startTcpFaultProxy, type TcpFaultProxy } from '../support/tcp-fault-proxy.js';
import { addressAt, CLIENTS } from './stage.js';

/*
 * Servers that take a connection and then say nothing, at once or after the login. Without a limit of the tool, a
 * command waits as long as its client does: for ever with most of them.
 */

/** Far longer than the tool may take, so that a busy machine fails no test. */
const PATIENT_MS = 60_000;
const VERBS = [['ls'], ['doctor'], ['run', '--name', 'x', '--', 'true']];

let mute: Server;
let mutePort: number;
let engines: Engines;
const clis = new Map<string, BuiltCli>();
const proxies: TcpFaultProxy[] = [];
const sockets = new Set<Socket>();
beforeAll(async () => {
  mute = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  [engines, mutePort] = await Promise.all([startEngines('postgres', 'mysql', 'redis'), listening(mute)]);
  for (const name of IN_THIS_RUN) clis.set(name, await builtCli(CLIENTS[name]?.slice(1)));
}, 120_000);
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  mute?.close();
  await Promise.all([...clis.values()].map((cli) => cli.remove()));
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await engines?.stop();
});

/** Clients of servers that have a login. */
const hasLogin = (client: string): boolean => ['postgres', 'mysql', 'redis'].includes(kindOf(client));
const kindOf = (client: string) => CLIENTS[client]?.[0] as 'postgres' | 'mysql' | 'redis';

/** Words of a statement or a command that the clients of a server send only after their login. */
const AFTER_LOGIN = /single_execution|SELECT |EVAL|NODES/i;

async function addressOf(client: string, isLate: boolean): Promise<ReturnType<typeof addressAt>> {
  const kind = kindOf(client);
  if (!isLate) return addressAt(kind, mutePort);
  const { server } = engines.on(kind);
  const proxy = await startTcpFaultProxy(server.port, (request) => (AFTER_LOGIN.test(request) ? 'stall' : undefined));
  proxies.push(proxy);
  return [[`--${kind}-url`, Object.assign(new URL(server.url), { port: String(proxy.port) }).href], {}];
}

const IN_THIS_RUN = inThisRun(
  ['pg', 'mysql2', 'ioredis', 'the AWS SDK', '@upstash/redis'],
  ['postgres.js', 'mariadb', 'node-redis', '@azure/data-tables'],
);

const CASES = IN_THIS_RUN.flatMap((client) => {
  const verbs = ['postgres', 'mysql'].includes(kindOf(client)) ? [...VERBS, ['table', 'create']] : VERBS;
  const times = hasLogin(client) ? [false, true] : [false];
  return times.flatMap((isLate) => verbs.map((verb) => ({ client, isLate, verb })));
});

describe.concurrent('row 157: F157: a server that says nothing', () => {
  test.each(CASES)('by $client, silent after the login: $isLate, $verb.0 ends', async ({ client, isLate, verb }) => {
    const [options, env] = await addressOf(client, isLate);
    const end = verb.indexOf('--');
    const line = end === -1 ? [...verb, ...options] : [...verb.slice(0, end), ...options, ...verb.slice(end)];
    const cli = clis.get(client) as BuiltCli;
    const { child, ended } = cli.start(line, { ...env, AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' });
    child.stdin?.end();
    const kill = setTimeout(() => child.kill('SIGKILL'), PATIENT_MS);
    const { code, stdout, stderr } = await ended;
    clearTimeout(kill);

    const why = /no answer|did not answer|in time|not connected|could not be reached|no clear answer/i;
    expect({ code, said: stdout + stderr }).toEqual({
      code: verb[0] === 'run' ? 69 : 1,
      said: expect.stringMatching(why),
    });
  });
});
