import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltCli, builtCli } from '../support/built-cli.js';
import { hurriedClock } from '../support/clocks.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { innerCli } from '../support/inner-cli.js';
import { heard } from '../support/last-words.js';
import { listening } from '../support/loopback.js';
import { connectedTo, startRedisServer } from '../support/redis-server.js';
import { startRestServer } from '../support/rest-server.js';
import { startUpstashBridge, type UpstashBridge } from '../support/upstash-bridge.js';
import { addressAt, CLOSED_PORT, cliStage, freshName, taken } from './stage.js';

const stage = cliStage();

describe('the packages beside it', () => {
  let bare: BuiltCli;
  let withRedis: BuiltCli;
  beforeAll(async () => {
    [bare, withRedis] = await Promise.all([builtCli([]), builtCli(['redis', '@redis'])]);
  });
  afterAll(() => Promise.all([bare?.remove(), withRedis?.remove()]));

  const UPSTASH = { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1', UPSTASH_REDIS_REST_TOKEN: 'secret' };
  const AZURE = { AZURE_STORAGE_ACCOUNT: 'acme', AZURE_STORAGE_KEY: 'c2VjcmV0' };
  test.each<[line: string, env: object, told: RegExp]>([
    ['--table x', {}, /npm install @aws-sdk\/client-dynamodb @aws-sdk\/lib-dynamodb\n$/],
    ['--redis-url redis://127.0.0.1', {}, /needs ioredis or redis, .*: npm install ioredis\n$/],
    ['--upstash', UPSTASH, /npm install @upstash\/redis\n$/],
    ['--postgres-url postgres://127.0.0.1/x', {}, /needs pg or postgres, and neither .*: npm install pg\n$/],
    ['--azure-table locks', AZURE, /needs @azure\/data-tables, .*: npm install @azure\/data-tables\n$/],
    ['--sqlite x.db', {}, /needs Node 22.13 or later, or @libsql.*: npm install @libsql\/client\n$/],
  ])('are named where they are missing: %s', async (line, env, told) => {
    const end = await bare.run(['run', '--name', 'x', ...line.split(' '), '--', 'true'], { ...env });

    expect(end).toMatchObject({ code: 69, stdout: '', stderr: expect.stringMatching(told) });
  });

  test('are not needed by what needs no store', async () => {
    expect(await bare.run(['next', '0 9 * * *'])).toMatchObject({ code: 0 });
  });

  test('tell at once that Redis refuses the login, and hide the password', async () => {
    const server = await startRedisServer();
    const redis = await connectedTo(server.port);
    await redis.config('SET', 'requirepass', 'right');
    redis.disconnect();

    for (const run of [innerCli, withRedis.run]) {
      for (const login of ['', ':wrong@', 'nobody:wrong@']) {
        const end = await run(['ls', '--redis-url', `redis://${login}127.0.0.1:${server.port}`]);

        expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Redis refuses the login') });
        expect(end.stderr).not.toContain('wrong');
      }
      const url = `redis://:right@127.0.0.1:${server.port}`;
      expect(await run(['ls', '--redis-url', url])).toMatchObject({ code: 0 });
    }
    await server.stop();
  });

  test('of Redis can be redis instead of ioredis', async () => {
    const { args, store } = stage().on('redis');
    const name = freshName();
    await taken(store, name);

    const shown = { code: 0, stdout: expect.stringMatching(/^state +held$/m) };
    expect(await withRedis.run(['show', name, ...args])).toMatchObject(shown);
    expect(await withRedis.run(['run', '--name', freshName(), ...args, '--', 'true'])).toMatchObject({ code: 0 });
    const found = { code: 0, stdout: expect.stringContaining('noeviction') };
    expect(await withRedis.run(['doctor', ...args])).toMatchObject(found);
  });
});

describe('on Upstash', () => {
  let bridge: UpstashBridge;
  beforeAll(async () => {
    const port = Number(new URL(stage().on('redis').args[1] ?? '').port);
    bridge = await startUpstashBridge({ redisPort: port });
  });
  afterAll(() => bridge?.stop());

  test('it shows no token that is refused', async () => {
    const env = { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: 'wrong-token' };
    const refused = await innerCli(['doctor', '--upstash', '--json'], env);
    const found = expect.stringContaining('refused the credentials (WRONGPASS); check user, password or token');
    expect(JSON.parse(refused.stdout)).toEqual([{ check: 'script', status: 'problem', found }]);
    const { code, stdout, stderr } = await innerCli(['ls', '--upstash'], env);
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('wrong-token');
  });

  test('doctor compares the clocks also where the server does not encode its answers', async () => {
    const server = await startRestServer(stage().on('redis').args[1] ?? '');
    const env = { UPSTASH_REDIS_REST_URL: server.url, UPSTASH_REDIS_REST_TOKEN: server.token };
    const { stdout } = await innerCli(['doctor', '--upstash'], env);
    await server.stop();

    expect(stdout).toMatch(/^ok +clock +this host's clock is right, to a second$/m);
  });
});

test('--prefix keeps apart what the stores’ keyPrefix keeps apart', async () => {
  const { run, args } = stage().on('dynamodb');
  const name = freshName();

  expect(await run('pause', name, '--prefix', 'staging/')).toMatchObject({ code: 0 });
  expect(await run('show', name)).toMatchObject({ code: 3 });
  const env = { LOCK_TABLE: args[1], LOCK_KEY_PREFIX: 'staging/' };
  expect(await innerCli(['show', name, ...args.slice(2)], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('paused'),
  });
});

describe('a table of another key', () => {
  const tableOf = async (keys: object) => {
    const { client } = dynamoDBLocal();
    const table = await freshTable(client, keys);
    client.destroy();
    return ['--table', table, ...stage().on('dynamodb').args.slice(2)];
  };
  const KEYS = ['--partition-key', 'PK', '--sort-key', 'SK'];

  test.each([
    ['neither is given', []],
    ['the partition key alone is given', ['--partition-key', 'PK']],
  ])('is an error that names the options, also while the table is empty: %s', async (_, given) => {
    const args = [...(await tableOf({ partitionKey: 'PK', sortKey: 'SK' })), ...given];
    const ends = await Promise.all([
      innerCli(['ls', ...args]),
      stage().cli.run(['console', ...args]),
      innerCli(['run', '--name', 'digest', ...args, '--', 'true']),
    ]);

    expect(ends.map(({ code }) => code)).toEqual([1, 1, 69]);
    for (const { stdout, stderr } of ends) {
      expect(stdout).toBe('');
      expect(stderr).toContain('pass its --partition-key and, if it has one, its --sort-key');
    }
  });

  test('is run, looked at and steered with both keys', async () => {
    const args = [...(await tableOf({ partitionKey: 'PK', sortKey: 'SK' })), ...KEYS];
    const run = (...own: string[]) => innerCli([...own.slice(0, 3), ...args, ...own.slice(3)]);

    expect(await run('run', '--name', 'digest', '--', 'true')).toMatchObject({ code: 0 });
    expect(await run('pause', 'digest')).toMatchObject({ code: 0 });
    expect(await run('ls')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^digest +paused \(free\)/m) });
  });

  test('is made by table create', async () => {
    const args = ['--table', freshName('locks'), ...stage().on('dynamodb').args.slice(2), ...KEYS];

    expect(await innerCli(['table', 'create', ...args])).toMatchObject({ code: 0 });
    expect(await innerCli(['ls', ...args])).toEqual({ code: 0, stdout: '', stderr: 'no locks\n' });
  });

  test.each([
    ['--partition-key', 'tick'],
    ['--sort-key', 'lockName'],
  ])('cannot have a key that a lock uses otherwise: %s %s', async (option, key) => {
    const args = ['--table', 'locks', ...stage().on('dynamodb').args.slice(2), option, key];

    expect(await innerCli(['ls', ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(key) });
  });
});

test.each([
  ['--table', 'locks'],
  ['--redis-url', 'redis://127.0.0.1:1'],
  ['--sqlite', 'locks.db'],
])('a prefix that no lock can have is refused before %s is opened', async (option, store) => {
  const end = await innerCli(['ls', option, store, '--prefix', 'x'.repeat(200)]);

  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('--prefix is') });
});

describe('a store that is away', () => {
  const REMEDIES = [
    ['dynamodb', 'check --endpoint, --region and the network'],
    ['redis', 'start Redis, or check --redis-url and the network'],
    ['upstash', 'check UPSTASH_REDIS_REST_URL and the network'],
    ['azure', 'check AZURE_STORAGE_CONNECTION_STRING and the network'],
    ['postgres', 'start Postgres, or check --postgres-url and the network'],
    ['mysql', 'start MySQL, or check --mysql-url and the network'],
  ] as const;

  test.concurrent.each(REMEDIES)(
    'F219 is named with its address, the cause and the remedy: %s',
    async (kind, remedy) => {
      const [args, env] = addressAt(kind, CLOSED_PORT);
      const [ls, run] = await Promise.all([
        innerCli(['ls', ...args], env),
        innerCli(['run', '--name', 'digest', ...args, '--', 'true'], env),
      ]);

      expect([ls.code, run.code]).toEqual([1, 69]);
      for (const { stdout, stderr } of [ls, run]) {
        expect(stdout).toBe('');
        expect(stderr).toContain(`127.0.0.1:${CLOSED_PORT}`);
        // On a slow machine the SDK takes longer to start than a call may wait: then the cause is that no answer came.
        if (kind !== 'upstash') expect(stderr).toMatch(/ECONNREFUSED|no answer within/);
        expect(stderr).toContain(remedy);
        expect(stderr).not.toContain('hunter2');
      }
    },
  );

  test.concurrent.each([
    ['REDIS_URL', 'redis'],
    ['DATABASE_URL', 'postgres'],
    ['DATABASE_URL', 'mysql'],
    ['MYSQL_URL', 'mysql'],
  ])('F219 is looked for in the variable that names it: %s', async (variable, kind) => {
    const { stderr } = await innerCli(['ls'], { [variable]: `${kind}://ada:hunter2@127.0.0.1:${CLOSED_PORT}/0` });

    expect(stderr).toContain(`or check ${variable} and the network`);
  });

  // silent-server.test.ts plays it with each client of the published tool.
  test('is given up after 4 s where it accepts a connection and is silent', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    const port = await listening(silent);
    const [args, env] = addressAt('postgres', port);
    const { code, stderr } = await innerCli(['ls', ...args], env, { clock: hurriedClock(20) });
    silent.close();

    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(`127.0.0.1:${port}.* no answer within 4s`),
    });
  });
});

test('what the AWS SDK says about Node is not printed, and a command does not find that it is silenced', async () => {
  const { cli, on } = stage();
  const silenced = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';
  const command = ['sh', '-c', `echo "[$${silenced}]"`];
  const args = ['run', '--name', freshName(), ...on('dynamodb').args, '--', ...command];

  expect(await cli.run(args, { [silenced]: undefined })).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});

describe('on a terminal', () => {
  const CLEAR = '\x1b[2J';
  const isTwice = (output: string) => output.split(CLEAR).length > 2;

  test('states have colours, unless NO_COLOR is set', async () => {
    const { store, args } = stage().on('redis');
    const name = freshName();
    await taken(store, name);
    const shown = async (env: Record<string, string>) => (await innerCli(['ls', ...args], env, { typed: '' })).stdout;

    expect(await shown({ TERM: 'xterm' })).toContain('\x1b[32mheld\x1b[39m');
    expect(await shown({ TERM: 'xterm', NO_COLOR: '1' })).not.toContain('\x1b');
  });

  test('ls --watch shows the list anew until Ctrl-C', async () => {
    const { cli, on } = stage();
    const words = [process.execPath, cli.path, 'ls', '--watch', ...on('redis').args].map((word) => `'${word}'`);
    const shell = heard(
      spawn('script', ['-qec', words.join(' '), '/dev/null'], { env: { PATH: process.env['PATH'], TERM: 'dumb' } }),
    );
    const shown = text(shell.stdout);
    let seen = '';
    shell.stdout.on('data', (chunk) => {
      const wasShown = isTwice(seen);
      seen += chunk;
      if (isTwice(seen) && !wasShown) shell.stdin.write('\x03');
    });
    const [, ...screens] = (await shown).split(CLEAR);

    expect(screens.length).toBeGreaterThanOrEqual(2);
    expect(screens[0]).toContain('NAME');
  });
});
