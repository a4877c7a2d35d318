import { test } from 'vitest';
import { shiftedClock } from '../support/shifted-clock.js';
import { checkPage } from './printed-page.js';
import { cliStage, ran, taken } from './stage.js';

const stage = cliStage();

test('docs/guides/operate.md shows what each command prints on a morning after a crash', async () => {
  const { store } = stage().on('dynamodb');
  const at = (day: number, hour: number) => new Date(Date.UTC(2026, 10, day, hour));
  await ran(store, 'nightly-report', at(18, 2));
  await ran(store, 'nightly-report', at(19, 2));
  await taken(store, 'nightly-report', {
    tick: at(20, 2).getTime(),
    lockedBy: 'nightly-report $LATEST eu-west-1 6f2c',
    leaseMs: 900_000,
    clock: shiftedClock(-1_000_000),
  });
  await ran(store, 'send-digest', at(20, 9));
  await taken(store, 'send-digest', {
    tick: at(20, 10).getTime(),
    lockedBy: 'send-digest $LATEST eu-west-1 41d0',
    leaseMs: 900_000,
    clock: shiftedClock(-130_000),
  });

  await checkPage('docs/guides/operate.md', stage());
}, 300_000);
