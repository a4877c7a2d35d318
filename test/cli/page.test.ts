import { test } from 'vitest';
import { checkPage } from './printed-page.js';
import { cliStage, clockAt, ranAt, taken } from './stage.js';

const stage = cliStage();
const at = (day: number, hour: number, minute = 0) => new Date(Date.UTC(2026, 10, day, hour, minute));

const SCHEDULES = {
  'nightly-report': '0 2 * * *',
  'rotate-keys': '0 4 * * * in Europe/Berlin',
  'send-digest': '0 * * * *',
  'import-prices': '0 * * * *',
} as const;

test('docs/cli.md shows what each command prints', async () => {
  const { store, admin } = stage().on('dynamodb');
  const ran = (name: keyof typeof SCHEDULES, tick: Date, failed = false) =>
    ranAt(store, name, {
      tick,
      atMs: tick.getTime() + 310,
      tookMs: 12_400,
      lockedBy: 'web-1 process 4702',
      failed,
      schedule: SCHEDULES[name],
    });
  await ran('rotate-keys', at(17, 3));
  await ran('nightly-report', at(19, 2));
  await ran('nightly-report', at(20, 2));
  await ran('send-digest', at(20, 9));
  await taken(store, 'send-digest', {
    tick: at(20, 10).getTime(),
    lockedBy: 'web-1 process 4711',
    leaseMs: 900_000,
    clock: clockAt(at(20, 10).getTime() + 310),
    schedule: SCHEDULES['send-digest'],
  });
  await ran('import-prices', at(20, 8), true);
  await ran('import-prices', at(20, 9));
  await ran('import-prices', at(20, 10), true);
  await admin.pause('import-prices', { by: 'ada' });

  await checkPage('docs/cli.md', stage(), at(20, 10, 2).getTime());
}, 300_000);
