import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { leaseTimes } from './pictures/lease-times.js';
import { race } from './pictures/race.js';

/*
 * The pictures in docs/images that code draws. `PICTURES=write npx vitest run test/docs/pictures.test.ts` writes them.
 */

test.each([
  ['race', race],
  ['lease-times', leaseTimes],
])('docs/images/%s.svg shows what the library does', async (name, draw) => {
  const file = new URL(`../../docs/images/${name}.svg`, import.meta.url);
  const drawn = await draw();
  if (process.env['PICTURES'] === 'write') await writeFile(file, drawn);

  expect(await readFile(file, 'utf8')).toBe(drawn);
  expect(drawn).toContain('skipped: locked');
});
