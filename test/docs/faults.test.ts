import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultsSection } from '../faults/page.js';
import { STAGES } from '../faults/stages.js';

const PAGE = join(import.meta.dirname, '../../docs/faults.md');

test('docs/faults.md shows the fault table as it is played', async () => {
  const [numbers = ''] = readFileSync(PAGE, 'utf8').split('## What a caller sees');
  await expect(numbers + faultsSection()).toMatchFileSnapshot(PAGE);
});

test('the fault table is played on each store of the list of backends', () => {
  const isPlayed = (kind: string) =>
    ['test', 'proof.test'].some((end) => existsSync(join(import.meta.dirname, `../faults/${kind}.${end}.ts`)));

  expect(Object.keys(STAGES).filter((kind) => !isPlayed(kind))).toEqual([]);
});
