import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultsPage } from '../faults/page.js';

test('docs/faults.md shows the fault table as it is played', async () => {
  await expect(faultsPage()).toMatchFileSnapshot(join(import.meta.dirname, '../../docs/faults.md'));
});
