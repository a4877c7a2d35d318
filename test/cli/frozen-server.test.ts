import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import { backendOf } from '../support/backends.js';
import { type BuiltCli, builtCli } from '../support/built-cli.js';
import { inThisRun } from '../support/in-this-run.js';
import { consoleOf } from './console/stage.js';
import { freezeServer } from './frozen-server.js';
import { CLIENTS, untilText } from './stage.js';

/*
 * The real server stands still (SIGSTOP) while the tool works: connections stay open, and nothing is answered. The
 * silent servers of silent-server.test.ts say nothing from the start.
 */

vi.setConfig({ maxConcurrency: 5 });

/** Ends what hangs. Far longer than the tool may take, so that a busy machine fails no test. */
const LONG = 90_000;
/** Long enough for a busy machine to start a command, and to freeze the server. */
const LEASE = '6s';

interface Scene {
  readonly cli: BuiltCli;
  /** The options that name the store. */
  readonly at: readonly string[];
  freeze(): void;
}

async function scene(client: string, { onTestFinished }: Pick<TestContext, 'onTestFinished'>): Promise<Scene> {
  const [kind = 'memory', ...packages] = CLIENTS[client] ?? [];
  const [engine, cli] = await Promise.all([backendOf(kind).start(), builtCli(packages)]);
  const address = engine.at();
  let thaw = () => {};
  onTestFinished(async () => {
    thaw();
    await cli.remove();
    await engine.stop();
  });
  await engine.make(address);
  return {
    cli,
    at: engine.args(address),
    freeze() {
      thaw = freezeServer({ port: Number(new URL(address.url).port) });
    },
  };
}

const job = (...script: readonly string[]) => ['--', 'sh', '-c', script.join('; ')];
/** Prints `started` once it obeys, or ignores, SIGTERM. */
const runs = (trap: string) => job(`trap '${trap}' TERM`, 'echo started', 'while :; do sleep 0.1; done');

describe
  .runIf(process.platform === 'linux')
  .concurrent.each(inThisRun(['pg', 'mysql2', 'ioredis'], ['postgres.js', 'mariadb', 'node-redis']))(
  'rows 176, 177: F170 over %s the server stands still',
  (client) => {
    test(
      'the command is asked to stop by the end of its lease, and run ends',
      async (context) => {
        const { cli, at, freeze } = await scene(client, context);
        const line = ['run', '--name', 'job', '--at-most', LEASE, '--keep-alive', ...at];
        const running = cli.start([...line, ...runs('echo told; exit 0')]);
        await untilText(running, 'started');
        freeze();

        const { code, stdout, stderr } = await running.ended;
        expect({ code, stdout }).toEqual({ code: 70, stdout: 'started\ntold\n' });
        expect(stderr).toContain('lock "job"');
      },
      LONG,
    );

    test(
      'a command that ends by itself keeps its exit code, and run ends',
      async (context) => {
        const { cli, at, freeze } = await scene(client, context);
        const folder = await mkdtemp(join(tmpdir(), 'frozen-'));
        context.onTestFinished(() => rm(folder, { recursive: true }));
        const go = join(folder, 'go');
        const line = ['run', '--name', 'job', '--at-most', '1h', ...at];
        const running = cli.start([
          ...line,
          ...job('echo started', `until [ -e ${go} ]; do sleep 0.1; done`, 'exit 7'),
        ]);
        await untilText(running, 'started');
        freeze();
        await writeFile(go, '');

        expect((await running.ended).code).toBe(7);
      },
      LONG,
    );

    test(
      'other verbs end with an error, and an open console shows it and ends by SIGTERM',
      async ({ expect, onTestFinished }) => {
        const { cli, at, freeze } = await scene(client, { onTestFinished });
        await cli.run(['run', '--name', 'job', ...at, '--', 'true']);
        const running = cli.start(['console', ...at]);
        const { ask } = await consoleOf(running.child);
        freeze();
        // silent-server.test.ts plays `ls`, `doctor` and `run`.
        const verbs = [['show'], ['pause'], ['unlock', '--yes', '--token', '1']];
        const ends = await Promise.all(verbs.map(([verb = '', ...more]) => cli.run([verb, 'job', ...more, ...at])));
        expect(ends.map(({ code }) => code)).toEqual([1, 1, 1]);
        await expect.poll(async () => (await ask('/api/locks')).status).toBe(502);

        running.child.kill('SIGTERM');
        expect((await running.ended).code).toBe(0);
      },
      LONG,
    );
  },
);

test.runIf(process.platform === 'linux').concurrent(
  'row 176: a command that ignores SIGTERM is killed, and run ends',
  async (context) => {
    const { cli, at, freeze } = await scene('pg', context);
    const line = ['run', '--name', 'job', '--at-most', LEASE, ...at];
    const running = cli.start([...line, ...runs('echo told')]);
    await untilText(running, 'started');
    freeze();

    expect(await running.ended).toMatchObject({ code: 70, stdout: 'started\ntold\n' });
  },
  LONG,
);
