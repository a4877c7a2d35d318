import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { breaches, circles, type Sources } from './architecture.js';
import { ROOMS, roomTable } from './rooms.js';
import { DOORS } from './support/doors.js';

const ROOT = new URL('../', import.meta.url);

function sourcesUnder(directory: string): Sources {
  if (!existsSync(new URL(directory, ROOT))) return {};
  const paths = readdirSync(new URL(directory, ROOT), { recursive: true, encoding: 'utf8' })
    .map((path) => `${directory}${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, ROOT), 'utf8')]));
}

test('every import points the way it should and every clock, console and chance has one owner', () => {
  const sources = { ...sourcesUnder('src/'), ...sourcesUnder('handlers/'), ...sourcesUnder('infra/') };

  expect(Object.keys(sources)).not.toHaveLength(0);
  expect(breaches(sources)).toEqual([]);
});

test('the files of src and of infra import one another in no circle, by types neither', () => {
  expect(circles({ ...sourcesUnder('src/'), ...sourcesUnder('infra/') })).toEqual([]);
});

test('CONTRIBUTING.md shows the table of rooms', () => {
  expect(readFileSync(new URL('CONTRIBUTING.md', ROOT), 'utf8')).toContain(roomTable());
});

test('a room sees rooms that stand above it in the table, so that no import can go round', () => {
  const order = Object.keys(ROOMS);
  const backwards = Object.entries(ROOMS).flatMap(([room, { sees }]) =>
    sees.filter((seen) => order.indexOf(seen) === -1 || order.indexOf(seen) >= order.indexOf(room)),
  );

  expect(backwards).toEqual([]);
});

describe('the check itself', () => {
  const fileIn = (room: string) => `src/${room.endsWith('.ts') ? room : `${room}/it.ts`}`;
  const pairs = Object.entries(ROOMS).flatMap(([from, { sees, seesDoors = false }]) =>
    Object.keys(ROOMS)
      .filter((to) => to !== from)
      .map((to) => ({ from, to, isAllowed: sees.includes(to) || (seesDoors && to.endsWith('.ts')) })),
  );

  test('lets a room import the rooms that it sees, and no other', () => {
    for (const { from, to, isAllowed } of pairs) {
      const path = fileIn(from);
      const back = '../'.repeat(path.split('/').length - 2) || './';
      const text = `import { x } from '${back}${fileIn(to).slice('src/'.length).replace('.ts', '.js')}';`;

      const refused = `${path}: ${from} must not import ${to}: ${fileIn(to).replace('.ts', '.js')}`;
      expect(breaches({ [path]: text })).toEqual(isAllowed ? [] : [refused]);
    }
  });

  test('lets the command-line tool import every door, as a program does', () => {
    for (const door of Object.values(DOORS).filter((its) => its.startsWith('./src/'))) {
      const text = `import { x } from '../${door.slice('./src/'.length).replace(/ts$/, 'js')}';`;
      expect(breaches({ 'src/cli/main.ts': text })).toEqual([]);
    }
  });

  const lines = (count: number) => 'export {};\n'.repeat(count);

  test.each<[string, string, string]>([
    ['core to a package', 'src/core/run/engine.ts', "import { z } from 'zod';"],
    ['core to an SDK, by type', 'src/core/run/engine.ts', "import type { A } from '@aws-sdk/lib-dynamodb';"],
    ['core to an SDK, by import type', 'src/core/run/engine.ts', "export type A = import('@aws-sdk/lib-dynamodb').A;"],
    ['out of src', 'src/core/run/engine.ts', "import { x } from '../../../test/x.js';"],
    ['a Node module', 'src/core/run/engine.ts', "import { randomUUID } from 'node:crypto';"],
    ['a dynamic import', 'src/core/run/engine.ts', "await import('node:async_hooks');"],
    ['a computed import', 'src/core/run/engine.ts', 'await import(name);'],
    ['a require', 'src/core/run/engine.ts', "const x = require('node:fs');"],
    ['a foreign store to the AWS SDK', 'src/stores/memory.ts', "import { A } from '@aws-sdk/client-dynamodb';"],
    ['an adapter to another adapter', 'src/adapters/lambda.ts', "import { x } from './http.js';"],
    ['a database to another database', 'src/stores/mysql/mysql.ts', "import { x } from '../sqlite/sqlite.js';"],
    ['an adapter to platform types', 'src/adapters/lambda.ts', "import type { Context } from 'aws-lambda';"],
    ['testing to a runner', 'src/testing/testing.ts', "import { test } from 'vitest';"],
    ['a room without a line', 'src/core/extras/extra.ts', 'export const x = 1;'],
    ['a file outside of any room', 'src/core/extra.ts', 'export const x = 1;'],
    ['a handler to src', 'handlers/digest.ts', "import { x } from '../src/index.js';"],
    ['a handler to a package', 'handlers/digest.ts', "import { x } from 'lodash';"],
    ['a handler to another package of Upstash', 'handlers/digest.ts', "import { x } from '@upstash/redis-mock';"],
    ['a handler to another package of pg', 'handlers/digest.ts', "import Cursor from 'pg-cursor';"],
    ['a handler to aws-lambda, by value', 'handlers/digest.ts', "import { x } from 'aws-lambda';"],
    ['infra to src', 'infra/app.ts', "import { x } from '../src/index.js';"],
    ['infra to the library', 'infra/app.ts', "import { x } from 'single-execution';"],
    ['a construct to another room of src', 'infra/constructs/lock-table.ts', "import { x } from '../../src/index.js';"],
    ['infra to a handler', 'infra/app.ts', "import { x } from '../handlers/digest.js';"],
    ['a construct to the app', 'infra/constructs/lock-table.ts', "import { x } from '../app-context.js';"],
    ['a value of a port', 'src/core/ports/lock-store.ts', 'export const x = 1;'],
    ['a value that a port passes on', 'src/core/ports/lock-store.ts', "export { x } from '../values/clock.js';"],
    ['the wall clock', 'src/core/run/engine.ts', 'export const at = Date.now();'],
    ['the wall clock as an object', 'src/core/run/engine.ts', 'export const at = new Date();'],
    ['the wall clock as text', 'src/core/run/engine.ts', 'export const at = Date();'],
    ['the wall clock under another name', 'src/core/run/engine.ts', 'const { now } = Date;'],
    ['the monotonic clock', 'src/stores/memory.ts', 'export const at = performance.now();'],
    ['a timer', 'src/core/run/engine.ts', 'setTimeout(() => {}, 1);'],
    ['a timer of globalThis', 'src/core/run/engine.ts', 'globalThis.setInterval(() => {}, 1);'],
    ['a timer in an object', 'src/core/run/engine.ts', 'export const timers = { setTimeout };'],
    ['a timer taken apart', 'src/core/run/engine.ts', 'const { setTimeout: later } = globalThis;'],
    ['a timer inside a signal', 'src/core/run/engine.ts', 'export const signal = AbortSignal.timeout(1);'],
    ['the console', 'src/core/run/engine.ts', "console.log('x');"],
    ['chance', 'src/core/run/engine.ts', 'export const x = Math.random();'],
    ['random bits', 'src/core/run/engine.ts', 'export const x = crypto.randomUUID();'],
    ['a default export', 'src/core/run/engine.ts', 'export default function engine() {}'],
    ['a default export by name', 'src/core/run/engine.ts', 'const x = 1; export { x as default };'],
    ['a default export of a value', 'src/core/run/engine.ts', 'export default 1;'],
    ['a file named after nothing', 'src/core/run/lock-utils.ts', 'export const x = 1;'],
    ['a file too long', 'src/core/run/engine.ts', lines(301)],
    ['a long function', 'src/core/run/engine.ts', `function run() {\n${'  step();\n'.repeat(59)}}`],
    ['a long arrow function', 'src/core/run/engine.ts', `const run = () => {\n${'  step();\n'.repeat(59)}};`],
    ['a long method', 'src/core/run/engine.ts', `const run = {\n  go() {\n${'step();\n'.repeat(59)}}\n};`],
    [
      'a long function that only returns an object of short ones',
      'src/core/run/engine.ts',
      `const verbs = () => ({\n${'  ...verb(() => 1),\n'.repeat(59)}});`,
    ],
    ['a function of five parameters', 'src/core/run/engine.ts', 'function run(a, b, c, d, e) {}'],
    ['an arrow function of five parameters', 'src/core/run/engine.ts', 'const run = (a, b, c, d, ...e) => a;'],
    ['a constructor of five parameters', 'src/core/run/engine.ts', 'class Run { constructor(a, b, c, d, e) {} }'],
    ['a function too long even for a test kit', 'src/testing/clock.ts', `function verbs() {\n${'f();\n'.repeat(69)}}`],
  ])('refuses %s', (_, path, text) => {
    expect(breaches({ [path]: text })).toEqual([expect.stringContaining(path)]);
  });

  test('refuses many long files, each below the limit', () => {
    const long = Object.fromEntries(['a', 'b', 'c'].map((name) => [`src/core/run/${name}.ts`, lines(260)]));

    expect(breaches(long)).toEqual([expect.stringContaining('too many files above 250 lines')]);
  });

  test('finds circles of files, by types and through other files', () => {
    const sources = {
      'src/a.ts': "import type { B } from './b.js';",
      'src/b.ts': "export { c } from './inner/c.js';",
      'src/inner/c.ts': "import { a } from '../a.js';",
      'src/inner/d.ts': "import { a } from '../a.js'; import { z } from 'zod';",
    };

    expect(circles(sources)).toEqual([['src/a.ts', 'src/b.ts', 'src/inner/c.ts']]);
    expect(circles({ ...sources, 'src/b.ts': 'export const b = 1;' })).toEqual([]);
  });

  const filesIn = (folder: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${folder}file-${i}.ts`, 'export const x = 1;']));

  test('refuses more than 16 files directly in a folder', () => {
    const folder = 'src/core/run/';
    const inFolder = { ...filesIn(folder, 16), [`${folder}inner/file.ts`]: 'export const x = 1;' };

    expect(breaches(inFolder)).toEqual([]);
    expect(breaches(filesIn(folder, 17))).toEqual([`${folder} has 17 files, more than 16`]);
  });

  test('allows what is allowed', () => {
    expect(
      breaches({
        'src/index.ts': "export { x } from './core/run/engine.js'; export { y } from './adapters/lambda.js';",
        'src/core/run/engine.ts': [
          "import type { Clock } from '../values/clock.js';",
          'export const iso = (at: unknown) => (at instanceof Date ? new Date(+at).toISOString() : String(Date.parse("")));',
          'export interface Timers { setTimeout(): ReturnType<typeof setTimeout>; console: typeof console }',
          'export const later = (clock: Clock) => clock.setTimeout();',
        ].join('\n'),
        'src/core/ports/lock-store.ts':
          "import type { Clock } from '../values/clock.js'; export type { Clock }; export interface Port { clock: Clock }",
        'src/core/values/clock.ts':
          'export const at = [Date.now(), performance.now(), setTimeout(() => {}, 1), Math.random()];',
        'src/core/observers/operator-log.ts': "console.warn('x');",
        'src/core/values/names.ts': 'export const id = crypto.randomUUID();',
        'src/stores/dynamodb/dynamodb.ts':
          "import '@aws-sdk/lib-dynamodb'; import './item.js'; import '../../core/record/refusal.js';",
        'src/testing/testing.ts': "export * from './manual-clock.js'; export * from '../core/values/clock.js';",
        'handlers/digest.ts': "import 'single-execution/dynamodb'; import type { Context } from 'aws-lambda';",
        'handlers/rates.worker.ts': "import { Redis } from '@upstash/redis/cloudflare'; export default { Redis };",
        'handlers/interest.process.ts': "import { Pool } from 'pg'; export const pool = new Pool();",
        'infra/constructs/cdk.ts': "export { x } from './lock-table.js'; import { Duration } from 'aws-cdk-lib';",
        'infra/constructs/schedule-gaps.ts': "import { x } from '../../src/schedule/firing-days.js';",
        'infra/app.ts': "import { App } from 'aws-cdk-lib'; import { x } from './stack.js';",
        'src/core/options/policy.ts': lines(300),
        'src/core/run/hold.ts': `function hold(this: unknown, a, b, c, d) {\n${'  step();\n'.repeat(58)}}`,
        'src/core/run/invocation.ts': 'export type Task = (a: 1, b: 2, c: 3, d: 4, e: 5) => void;',
      }),
    ).toEqual([]);
  });
});
