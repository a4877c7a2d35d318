import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CorruptLockError } from 'single-execution';
import { type LockAdmin, lockAdmin } from 'single-execution/admin';
import { memoryStore } from 'single-execution/memory';
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest';
import { corruptLock } from '../../../src/admin/lock-info.js';
import { startConsole } from '../../../src/cli/console/console-server.js';
import { pacedAdmin } from '../../../src/cli/console/paced-admin.js';
import { type BuiltCli, builtCli } from '../../support/built-cli.js';
import { clockAt, ranAt, taken } from '../stage.js';
import { realChromium } from './browser.js';

/*
 * The pictures of docs/console.md: the page as it is published, on the locks of a night. Only
 * `PICTURES=write npx vitest run test/cli/console/pictures.test.ts` draws them. Look at them afterwards.
 */

const NOW = Date.UTC(2026, 10, 23, 4, 18, 59);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const at = (day: number, hour: number, minute = 0) => new Date(Date.UTC(2026, 10, day, hour, minute));
/** When the scheduler's call arrives: a second after the tick. */
const atMs = (tick: Date) => tick.getTime() + 1_000;
const by = (name: string) => `${name} $LATEST eu-central-1 7f3c213`;

describe.skipIf(process.env['PICTURES'] !== 'write')('a picture of the console', () => {
  const open = realChromium();
  let cli: BuiltCli;
  beforeAll(async () => {
    cli = await builtCli();
  }, 120_000);
  afterAll(() => cli?.remove());

  test.each([
    ['console-jobs', '', { viewport: { width: 1280, height: 720 }, colorScheme: 'light' }],
    ['console-job-dark', '&job=nightly-report', { viewport: { width: 1280, height: 720 }, colorScheme: 'dark' }],
    ['console-jobs-narrow-dark', '', { viewport: { width: 400, height: 720 }, colorScheme: 'dark' }],
  ] as const)('docs/images/%s.png', async (name, job, look) => {
    const running = await startConsole({
      admin: pacedAdmin(await theNight(), clockAt(NOW)),
      clock: clockAt(NOW),
      page: await readFile(join(dirname(cli.path), 'console.html'), 'utf8'),
      readOnly: false,
      store: 'DynamoDB table locks',
    });
    onTestFinished(() => running.close());
    const page = await open(running.url + job, look);
    await page.clock.setFixedTime(NOW);
    await page.reload();
    await page
      .locator(job ? 'h2' : 'table.jobs tbody tr')
      .first()
      .waitFor();
    const path = join(import.meta.dirname, `../../../docs/images/${name}.png`);
    await page.screenshot({ path, fullPage: true });
  });
});

const SCHEDULES: Readonly<Record<string, string>> = {
  'billing-export': '0 * * * *',
  'nightly-report': '0 4 * * *',
  'prune-sessions': '0 * * * *',
  'rotate-keys': '0 5 * * * in Europe/Berlin',
  'send-digest': '0 * * * *',
  'sync-tenants/eu-central-1': '*/15 * * * *',
  'sync-tenants/us-east-1': '*/15 * * * *',
  'warm-cache': '0 1/2 * * *',
};

/** Locks in every state that the page shows. */
async function theNight() {
  const store = memoryStore();
  const admin = (ms: number) => lockAdmin(store, { clock: clockAt(ms) });
  const ran = (name: string, tick: Date, minutes: number, failed = false) =>
    ranAt(store, name, {
      tick,
      atMs: atMs(tick),
      tookMs: minutes * MINUTE_MS,
      lockedBy: by(name),
      failed,
      ...(SCHEDULES[name] !== undefined && { schedule: SCHEDULES[name] }),
    });
  const begun = (name: string, tick: Date, minutes: number) =>
    taken(store, name, {
      tick: tick.getTime(),
      leaseMs: minutes * MINUTE_MS,
      lockedBy: by(name),
      clock: clockAt(atMs(tick)),
      schedule: SCHEDULES[name],
    });
  const unlocked = async (name: string, ms: number) => {
    const { fencingToken = 0 } = (await admin(ms).get(name)) ?? {};
    await admin(ms).forceRelease(name, { fencingToken });
  };

  for (let hour = 13; hour <= 22; hour++) await ran('billing-export', at(22, hour), 4);
  await admin(NOW).pause('billing-export', { by: 'ada', until: new Date(NOW + HOUR_MS) });
  await admin(NOW).pause('future-job', { by: 'ada' });

  for (const [day, minutes, end] of [
    [13, 15, 'succeeded'],
    [14, 23, 'succeeded'],
    [15, 19, 'succeeded'],
    [16, 15, 'succeeded'],
    [17, 23, 'failed'],
    [18, 19, 'succeeded'],
    [19, 15, 'succeeded'],
    [20, 30, 'crashed'],
    [21, 19, 'failed'],
    [22, 15, 'failed'],
  ] as const) {
    if (end === 'crashed') await begun('nightly-report', at(day, 4), minutes);
    else await ran('nightly-report', at(day, 4), minutes, end === 'failed');
  }

  for (const day of [17, 18, 19, 20]) await ran('rotate-keys', at(day, 4), 2);

  for (let hour = 16; hour <= 25; hour++) await ran('prune-sessions', at(22, hour), 4);
  await begun('prune-sessions', at(23, 2), 30);

  for (const hour of [13, 14, 16, 17, 18, 19]) await ran('send-digest', at(22, hour), 4);
  await begun('send-digest', at(22, 20), 55);
  await unlocked('send-digest', at(22, 20, 40).getTime());
  for (const hour of [21, 22]) await ran('send-digest', at(22, hour), 4);
  await admin(NOW).backfill('send-digest', { from: at(22, 15), to: at(22, 16), schedule: '1h' });

  const eu = 'sync-tenants/eu-central-1';
  for (let n = 10; n > 0; n--) {
    await ran(eu, new Date(at(23, 4, 15).getTime() - n * 15 * MINUTE_MS), 3 + ((n * 2) % 5));
  }
  await begun(eu, at(23, 4, 15), 10);

  const us = 'sync-tenants/us-east-1';
  for (let n = 10; n > 0; n--) {
    // Every fourth run goes on past its next tick, which is skipped.
    const minutes = n % 4 === 2 ? 24 : 6;
    if (n % 4 !== 1) await ran(us, new Date(at(23, 4).getTime() - n * 15 * MINUTE_MS), minutes);
  }
  await begun(us, at(23, 4), 30);

  await ran('warm-cache', at(23, 1), 10);
  await begun('warm-cache', at(23, 3), 120);
  await unlocked('warm-cache', NOW - 8 * MINUTE_MS);
  return withCorruptLock(admin(NOW));
}

/** With a lock whose record somebody has edited. */
function withCorruptLock(admin: LockAdmin): LockAdmin {
  const record = { name: 'import-prices', item: { v: 1, state: 'held', fencingToken: 'seven' }, readMs: NOW };
  const corrupt = corruptLock(record, new CorruptLockError('import-prices', 'fencingToken', 'seven'));
  return { ...admin, list: async () => [...(await admin.list()), corrupt] };
}
