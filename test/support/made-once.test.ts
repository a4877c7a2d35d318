import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { madeOnce } from './made-once.js';

test('makes a folder once, whoever else makes it at the same time', async () => {
  const parent = await temporaryFolder();
  const folder = join(parent, 'made');
  const make = vi.fn((draft: string) => writeFile(join(draft, 'file'), 'whole'));

  await Promise.all([madeOnce(folder, make), madeOnce(folder, make)]);
  expect(make).toHaveBeenCalledTimes(2);
  await madeOnce(folder, make);

  expect(make).toHaveBeenCalledTimes(2);
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('whole');
  expect(await readdir(parent)).toEqual(['made']);
});

test('leaves nothing of a folder that could not be made', async () => {
  const parent = await temporaryFolder();
  const refused = new Error('no registry');

  await expect(madeOnce(join(parent, 'made'), () => Promise.reject(refused))).rejects.toBe(refused);

  expect(await readdir(parent)).toEqual([]);
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'made-once-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
