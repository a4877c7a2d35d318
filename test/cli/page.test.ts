import { test } from 'vitest';
import { shiftedClock } from '../support/shifted-clock.js';
import { checkPage } from './printed-page.js';
import { cliStage, ran, taken } from './stage.js';

const stage = cliStage();

test('docs/cli.md shows what each command prints', async () => {
  const { store, admin } = stage().on('dynamodb');
  const at = (day: number, hour: number) => new Date(Date.UTC(2026, 10, day, hour));
  await ran(store, 'nightly-report', at(19, 2));
  await ran(store, 'nightly-report', at(20, 2));
  await ran(store, 'send-digest', at(20, 9));
  await taken(store, 'send-digest', {
    tick: at(20, 10).getTime(),
    lockedBy: 'web-1 process 4711',
    leaseMs: 900_000,
    clock: shiftedClock(-130_000),
  });
  await ran(store, 'import-prices', at(20, 8), 'failed');
  await ran(store, 'import-prices', at(20, 9));
  await ran(store, 'import-prices', at(20, 10), 'failed');
  await admin.pause('import-prices', { by: 'ada' });

  await checkPage('docs/cli.md', stage());
}, 300_000);
