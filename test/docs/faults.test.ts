import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import versions from '../../vitest.versions.config.js';
import { faultsSection } from '../faults/page.js';
import type { Way } from '../faults/way.js';
import { KINDS } from '../support/backends.js';

const PAGE = join(import.meta.dirname, '../../docs/faults.md');
const FOLDER = join(import.meta.dirname, '../faults');

/** The names of a store's tests begin with its own. A second test says behind it what else reaches the store. */
const testsOf = (kind: string) =>
  readdirSync(FOLDER).filter((file) => new RegExp(`^${kind}[.-].*test\\.ts$`).test(file));

const played: { readonly file: string; readonly way: Way }[] = await Promise.all(
  KINDS.flatMap(testsOf).map(async (file) => ({ file, ...(await import(join(FOLDER, file))) })),
);

test('the fault table is played on each store of the list of backends', () => {
  expect(KINDS.filter((kind) => testsOf(kind).length === 0)).toEqual(['memory']);
});

test('npm run test:versions includes exactly the fault tables with further clients', () => {
  const further = played.filter(({ way }) => way.clients.length > 1).map(({ file }) => file.replace('.test.ts', ''));

  expect(versions.test?.include).toContain(`test/faults/{${further.sort()}}.test.ts`);
});

test('docs/faults.md shows the fault table as it is played', async () => {
  const [numbers = ''] = readFileSync(PAGE, 'utf8').split('## What a caller sees');
  await expect(numbers + faultsSection(played.map(({ way }) => way))).toMatchFileSnapshot(PAGE);
});
