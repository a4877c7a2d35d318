import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from '@swc/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { type ChildPrograms, childPrograms } from '../support/child-program.js';
import { type RedisServer, startRedisServer } from '../support/redis-server.js';
import { expectOneRunPerTick, saidBy } from './fleet.js';

const PROCESSES = 8;
const PAGE = new URL('../../docs/guides/nestjs.md', import.meta.url);

/** Changes to the page's example: its method is called every two seconds, and prints each run. */
const CHANGES: readonly [string, string][] = [
  ["@Cron('0 */15 * * * *'", "@Cron('*/2 * * * * *'"],
  ["cron('0 */15 * * * *', {", "cron('*/2 * * * * *', {"],
  ["console.log('the report of', currentExecution()?.tick)", "say('ran', { tick: currentExecution()?.tick })"],
  ['createApplicationContext(Jobs)', 'createApplicationContext(Jobs, { logger: false })'],
];

async function exampleOfPage(): Promise<string> {
  const [, code = ''] = /^```ts\n(.*?)^```/ms.exec(await readFile(PAGE, 'utf8')) ?? [];
  for (const [text] of CHANGES) expect(code.split(text)).toHaveLength(2);
  const program = CHANGES.reduce((changed, [from, to]) => changed.replace(from, to), code);
  return `import 'reflect-metadata';\nimport { say } from '../../support/told.js';\n${program}\nsay('ready');`;
}

/** Compiles the program with legacy decorators by swc, in a folder beside this test, where it finds its packages. */
async function compiledIn(folder: string): Promise<BundledProgram> {
  const { code } = await transform(await exampleOfPage(), {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      target: 'es2022',
      transform: { legacyDecorator: true, decoratorMetadata: true },
    },
  });
  const main = join(folder, 'main.js');
  await writeFile(main, code);
  return bundledProgram(pathToFileURL(main));
}

let folder: string;
let redis: RedisServer;
let programs: ChildPrograms;
let program: BundledProgram;
beforeAll(async () => {
  folder = await mkdtemp(join(import.meta.dirname, 'nest-'));
  programs = childPrograms();
  [redis, program] = await Promise.all([startRedisServer(), compiledIn(folder)]);
});
afterAll(async () => {
  await programs?.stop();
  await Promise.all([redis?.stop(), program?.remove(), rm(folder, { recursive: true })]);
});

test(`row 102: a @Cron of NestJS in ${PROCESSES} processes runs once per tick`, { timeout: 180_000 }, async () => {
  const fleet = Array.from({ length: PROCESSES }, () => programs.start(program.path, {}, [], { REDIS_URL: redis.url }));
  await expectOneRunPerTick(fleet, 4);

  // A call during another process's run finds the lock held; a later call finds the tick done.
  const skips = saidBy(fleet).filter(({ type }) => type === 'skipped');
  expect(skips.length).toBeGreaterThan(0);
  for (const { reason } of skips) expect(['locked', 'already-executed']).toContain(reason);
});
