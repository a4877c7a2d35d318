import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'pg';
import { executeWithLock } from 'single-execution';
import { postgresStore } from 'single-execution/postgres';
import { afterAll, beforeAll, describe, type ExpectStatic, expect, test } from 'vitest';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildProgram, type ChildPrograms, childPrograms, type Said } from '../support/child-program.js';
import { DOORS } from '../support/doors.js';
import { startTcpFaultProxy } from '../support/tcp-fault-proxy.js';
import { asModule } from './examples.js';
import { type Connecting, connecting } from './restart/connecting.js';
import { type ExampleServer, SERVERS } from './restart/servers.js';

/*
 * Runs every example that connects to a server, as a process, and restarts its server: once while a handler runs, and
 * once while nothing runs. Then lets a connection of it go dead. The examples are those of the pages, the comments, `handlers/` and `init`, as they are found.
 */

/** An example that only makes a table calls no handler: only its process must go on. */
const runsNothing = ({ code }: Connecting): boolean => /\bcreate\w+Table\(/.test(code) && !/Store\(/.test(code);

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RESTART = join(import.meta.dirname, 'restart');
const HELD = ['', '/process', '/decorator', '/admin', '/leader'];
const CRON = /'[\d*/]+(?: [\d*/]+){4,5}'/g;
const COMMENT = /\/\*.*?\*\//gs;
const LONG = 180_000;

const examples = await connecting();
const inPostgres = ({ server }: Connecting): boolean => server === 'postgres';

/** Each program is bundled once, for the tests that run it. */
const bundles = new Map<string, Promise<BundledProgram>>();

let folder: string;
let programs: ChildPrograms;
beforeAll(async () => {
  // Beside this test, so that the examples find their packages.
  folder = await mkdtemp(join(RESTART, 'run-'));
  programs = childPrograms();
});
afterAll(async () => {
  await programs?.stop();
  for (const bundle of bundles.values()) await (await bundle).remove();
  await rm(folder, { recursive: true, force: true });
});

test('row 146: the examples that connect to a server are found', () => {
  const names = examples.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['docs/stores/postgres.md 1', 'docs/stores/redis.md 1']));
  expect(names).toEqual(expect.arrayContaining(['init --store postgres', 'handlers/account-interest.process.ts']));
  expect(names.length).toBeGreaterThan(12);
});

describe.concurrent('F135 an example survives two restarts of its server', () => {
  test.for(examples)(
    'row 146: $name, and its tick is done once',
    { timeout: LONG },
    async (example, { expect, onTestFinished }) => {
      const server = await SERVERS[example.server]();
      onTestFinished(() => server.stop());
      const { running, ask } = await start(example, server.env(server.port));
      if (runsNothing(example)) {
        await running.until('loaded');
        await restart(server);
        await restart(server);
      } else {
        await running.until('inside');
        await restart(server);
        expect(await ask('go', 'executed')).not.toMatchObject({ release: expect.stringMatching('lost|unknown') });
        await restart(server);
        expect(await nextRun(ask)).toMatchObject({ said: 'executed' });
        await ask('repeat', 'executed', 'skipped');
      }
      expectOneRunPerTick(await ended(running), expect);
    },
  );
});

/** The options of ioredis that most pages have. These decide what becomes of a dead connection: one example stands for all. */
const IOREDIS = /maxRetriesPerRequest: 0,\s+socketTimeout: 2_000/;
const byIoredis = examples.filter(({ code }) => IOREDIS.test(code));
const leaving = examples
  .filter((example) => !byIoredis.slice(1).includes(example))
  .filter((example) => example.server !== 'dynamodb' && !runsNothing(example));

describe.concurrent('F136 an example leaves a connection that went dead', () => {
  test.for(leaving)(
    'row 146: $name: its next call runs, or the one after that',
    { timeout: LONG },
    async (example, { expect, onTestFinished }) => {
      const server = await SERVERS[example.server]();
      onTestFinished(() => server.stop());
      const proxy = await startTcpFaultProxy(server.port, () => undefined);
      onTestFinished(() => proxy.stop());
      const { running, ask } = await start(example, server.env(proxy.port));
      await running.until('inside');
      await ask('go', 'executed');
      proxy.goDead();
      expect(await nextRun(ask)).toMatchObject({ said: 'executed' });
      expectOneRunPerTick(await ended(running), expect);
    },
  );
});

describe.concurrent('row 31: on SIGTERM an example releases its lock before it closes its client', () => {
  test.for(examples.filter(({ name, code }) => code.includes('SIGTERM') || name.startsWith('init')).filter(inPostgres))(
    'row 31: $name',
    { timeout: LONG },
    async (example, { expect, onTestFinished }) => {
      const server = await SERVERS.postgres();
      onTestFinished(() => server.stop());
      const { running } = await start(example, server.env(server.port));
      const { tick } = await running.until('inside');
      running.kill('SIGTERM');
      await running.until('aborted');
      running.tell('go');

      const { code, signal, stderr } = await running.ended;
      expect({ end: signal ?? code, stderr: stderr.match(/Error/) }).toEqual({
        end: example.code.includes('SIGTERM') ? 0 : 'SIGTERM',
        stderr: null,
      });
      const pool = new Pool({ connectionString: server.env(server.port)['DATABASE_URL'] });
      onTestFinished(() => pool.end());
      const name = example.code.match(/name: '([^']+)'/)?.[1] ?? '';
      const again = { name, store: postgresStore({ client: pool }), lockAtMostFor: '1m', observers: [] } as const;
      expect(await executeWithLock(() => 'done', { ...again, tick: new Date(String(tick)) })).toMatchObject({
        reason: expect.stringMatching(/already-executed|stale-tick/),
      });
    },
  );
});

type Ask = (order: string, ...words: string[]) => Promise<Said>;

/** Starts the example. @returns its process, and a function that gives an order and resolves to the first new answer */
async function start(
  example: Connecting,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly running: ChildProgram; readonly ask: Ask }> {
  const bundle = bundles.get(example.name) ?? bundled(example);
  bundles.set(example.name, bundle);
  const { path } = await bundle;
  const isScheduled = bare(example.code).search(CRON) >= 0;
  const running = programs.start(path, {}, [], { ...env, ...(isScheduled && { SCHEDULED: '1' }) });
  const ask: Ask = (order, ...words) => {
    const before = running.said().length;
    const isNew = (line: Said) => running.said().indexOf(line) >= before;
    running.tell(order);
    return Promise.any(words.map((word) => running.until(word, isNew)));
  };
  return { running, ask };
}

/** The end of the next run. For one call the store, or the handler's own statement, may be without an answer. */
async function nextRun(ask: Ask): Promise<Said> {
  const next = await ask('next', 'executed', 'rejected');
  const isUnanswered = next['code'] === 'UNAVAILABLE' || next['message'] === 'Query read timeout';
  return isUnanswered ? ask('next', 'executed', 'rejected') : next;
}

/** All that a program has said, once it was asked to end. @throws if it ends in another way */
async function ended(running: ChildProgram): Promise<readonly Said[]> {
  running.tell('end');
  const { code, stderr } = await running.ended;
  if (code !== 0) throw new Error(`the example ended with ${code}: ${stderr}`);
  return running.said();
}

function expectOneRunPerTick(said: readonly Said[], expect: ExpectStatic): void {
  const ticks = said.flatMap((line) => (line['said'] === 'inside' && line['tick'] ? [line['tick']] : []));
  expect(new Set(ticks).size).toBe(ticks.length);
}

/** The code without its comments: in one, a schedule is not called. */
const bare = (code: string): string => code.replaceAll(COMMENT, '');

async function restart(server: ExampleServer): Promise<void> {
  await server.goDown();
  await server.comeBack();
}

/** The example as a program, with the doors whose handlers are held. A schedule of it fires every two seconds. */
async function bundled({ name, code, beside }: Connecting): Promise<BundledProgram> {
  const own = await mkdtemp(join(folder, 'example-'));
  const js = await asModule({ name, code: bare(code).replaceAll(CRON, "'*/2 * * * * *'") });
  const file = join(own, 'example.mjs');
  await writeFile(file, js);
  for (const [other, text] of Object.entries(beside)) await writeFile(join(own, other), text);
  const doors = Object.entries(DOORS).map(([door, source]) => [door, join(ROOT, source)]);
  const held = HELD.map((door) => [`single-execution${door}`, join(RESTART, 'held', `${door.slice(1) || 'root'}.ts`)]);
  const alias = { ...Object.fromEntries([...doors, ...held]), example: file };
  const main = new URL('restart/main.ts', import.meta.url);
  return bundledProgram(main, alias, ['pg-native']);
}
