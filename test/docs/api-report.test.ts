import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { apiReport } from './api-report.js';
import { publicDoors, publicSymbols } from './public-declarations.js';

const FOLDER = join(import.meta.dirname, 'api');
/** `npm run api` writes the reports. Vitest writes a file only after the last test, so it may be missing until then. */
const isWriting = process.env['API_REPORTS'] === 'write';
const doors = publicDoors();
const fileOf = (door: string) => `${door.split('/')[1] ?? 'single-execution'}.txt`;

describe('the public declarations are as the report has them, or `npm run api` writes it anew', () => {
  test.each(doors.map((door) => [door.door, door] as const))('%s', async (name, door) => {
    const [root] = doors;
    if (!root) throw new Error('there are no doors');
    const file = join(FOLDER, fileOf(name));
    if (!isWriting) expect(existsSync(file), `${name} has no report: run npm run api`).toBe(true);

    await expect(apiReport(door, root)).toMatchFileSnapshot(file);
  });
});

test('there is no report without its door', () => {
  const files = doors.map(({ door }) => fileOf(door));
  const others = readdirSync(FOLDER).filter((file) => !files.includes(file));
  if (isWriting) for (const file of others) rmSync(join(FOLDER, file));

  expect(isWriting ? [] : others).toEqual([]);
});

const symbols = publicSymbols(doors);

test('every symbol that a door shows has a comment, and so has each of its members', () => {
  const bare = symbols.filter(({ comment }) => comment === '').map(({ file, name }) => `${file}: ${name}`);

  expect(symbols.length).toBeGreaterThan(700);
  expect(bare).toEqual([]);
});

test('every function and class of a door has an example, which the test of examples compiles', () => {
  const called = symbols.filter((symbol) => symbol.called);
  const bare = called.filter(({ comment }) => !/@example\n \* ```ts\n/.test(comment.replace(/^ +/gm, ' ')));

  expect(called.length).toBeGreaterThan(45);
  expect(bare.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
