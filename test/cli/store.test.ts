import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltCli, builtCli } from '../support/built-cli.js';
import { connectedTo, startRedisServer } from '../support/redis-server.js';
import { startRestServer } from '../support/rest-server.js';
import { startUpstashBridge, type UpstashBridge } from '../support/upstash-bridge.js';
import { cliStage, freshName, taken } from './stage.js';

const stage = cliStage();

describe('the packages beside it', () => {
  let bare: BuiltCli;
  let withRedis: BuiltCli;
  beforeAll(async () => {
    [bare, withRedis] = await Promise.all([builtCli([]), builtCli(['redis', '@redis'])]);
  });
  afterAll(() => Promise.all([bare?.remove(), withRedis?.remove()]));

  test.each<[string, string[], Record<string, string>, RegExp]>([
    ['DynamoDB', ['--table', 'x'], {}, /npm install @aws-sdk\/client-dynamodb @aws-sdk\/lib-dynamodb\n$/],
    ['Redis', ['--redis-url', 'redis://127.0.0.1'], {}, /needs ioredis or redis, .*: npm install ioredis\n$/],
    [
      'Upstash',
      ['--upstash'],
      { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1', UPSTASH_REDIS_REST_TOKEN: 'secret' },
      /npm install @upstash\/redis\n$/,
    ],
  ])('are named where they are missing: %s', async (_, args, env, told) => {
    expect(await bare.run(['ls', ...args], env)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(told),
    });
    expect(await bare.run(['run', '--name', 'x', ...args, '--', 'true'], env)).toMatchObject({ code: 69 });
  });

  test('are not needed by what needs no store', async () => {
    expect(await bare.run(['next', '0 9 * * *'])).toMatchObject({ code: 0 });
  });

  test('tell at once that Redis refuses the login, and hide the password', async () => {
    const server = await startRedisServer();
    const redis = await connectedTo(server.port);
    await redis.config('SET', 'requirepass', 'right');
    redis.disconnect();

    for (const cli of [stage().cli, withRedis]) {
      for (const login of ['', ':wrong@', 'nobody:wrong@']) {
        const end = await cli.run(['ls', '--redis-url', `redis://${login}127.0.0.1:${server.port}`]);

        expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Redis refuses the login') });
        expect(end.stderr).not.toContain('wrong');
      }
      const url = `redis://:right@127.0.0.1:${server.port}`;
      expect(await cli.run(['ls', '--redis-url', url])).toMatchObject({ code: 0 });
    }
    await server.stop();
  });

  test('of Redis can be redis instead of ioredis', async () => {
    const { args, store } = stage().on('redis');
    const name = freshName();
    await taken(store, name);

    expect(await withRedis.run(['show', name, ...args])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^state +held$/m),
    });
    expect(await withRedis.run(['run', '--name', freshName(), ...args, '--', 'true'])).toMatchObject({ code: 0 });
    expect(await withRedis.run(['doctor', ...args])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('noeviction'),
    });
  });
});

describe('on Upstash', () => {
  let bridge: UpstashBridge;
  beforeAll(async () => {
    const port = Number(new URL(stage().on('redis').args[1] ?? '').port);
    bridge = await startUpstashBridge({ redisPort: port });
  });
  afterAll(() => bridge?.stop());

  test('it looks, runs and examines', async () => {
    const { cli, on } = stage();
    const name = freshName();
    const env = { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token };
    await taken(on('redis').store, name);

    expect(await cli.run(['show', name, '--upstash'], env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^state +held$/m),
    });
    expect(await cli.run(['run', '--name', name, '--upstash', '--', 'true'], env)).toMatchObject({ code: 75 });
    expect(await cli.run(['doctor', '--upstash'], env)).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await cli.run(['ls', '--upstash'], {
      ...env,
      UPSTASH_REDIS_REST_TOKEN: 'wrong-token',
    });
    expect(code).toBe(1);
    expect(stdout + stderr).not.toContain('wrong-token');
  });

  test('doctor compares the clocks also where the server does not encode its answers', async () => {
    const { cli, on } = stage();
    const server = await startRestServer(on('redis').args[1] ?? '');
    const env = { UPSTASH_REDIS_REST_URL: server.url, UPSTASH_REDIS_REST_TOKEN: server.token };
    const { stdout } = await cli.run(['doctor', '--upstash'], env);
    await server.stop();

    expect(stdout).toMatch(/^ok +clock +this host's clock is right, to a second$/m);
  });
});

test('--prefix keeps apart what the stores’ keyPrefix keeps apart', async () => {
  const { run, args } = stage().on('dynamodb');
  const name = freshName();

  expect(await run('pause', name, '--prefix', 'staging/')).toMatchObject({ code: 0 });
  expect(await run('show', name)).toMatchObject({ code: 3 });
  const env = { LOCK_TABLE: args[1], LOCK_KEY_PREFIX: 'staging/', AWS_ENDPOINT_URL: args[3] };
  expect(await stage().cli.run(['show', name], env)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('paused'),
  });
});

describe('on a terminal', () => {
  const CLEAR = '\x1b[2J';

  /** What a command shows on a terminal, made by script(1). Ctrl-C is typed once it has cleared the screen twice. */
  function shown(args: readonly string[], env: Record<string, string>): Promise<string> {
    const { cli, on } = stage();
    const words = [process.execPath, cli.path, ...args, ...on('redis').args].map((word) => `'${word}'`);
    const shell = spawn('script', ['-qec', words.join(' '), '/dev/null'], {
      env: { PATH: process.env['PATH'], ...env },
    });
    let seen = '';
    let isTyped = false;
    shell.stdout.on('data', (chunk) => {
      seen += chunk;
      if (isTyped || seen.split(CLEAR).length < 3) return;
      isTyped = true;
      shell.stdin.write('\x03');
    });
    return text(shell.stdout);
  }

  test('states have colours, unless NO_COLOR is set', async () => {
    const { store } = stage().on('redis');
    const name = freshName();
    await taken(store, name);

    expect(await shown(['ls'], { TERM: 'xterm' })).toContain('\x1b[32mheld\x1b[39m');
    expect(await shown(['ls'], { TERM: 'xterm', NO_COLOR: '1' })).not.toContain('\x1b');
  });

  test('ls --watch shows the list anew until Ctrl-C', async () => {
    const [, ...screens] = (await shown(['ls', '--watch'], { TERM: 'dumb' })).split(CLEAR);

    expect(screens.length).toBeGreaterThanOrEqual(2);
    expect(screens[0]).toContain('NAME');
  });
});
