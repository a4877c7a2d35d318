import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { checkPage } from './printed-page.js';
import { cliStage, clockAt, ranAt, taken } from './stage.js';

const stage = cliStage();
const at = (day: number, hour: number, minute = 0) => new Date(Date.UTC(2026, 10, day, hour, minute));
/** When the scheduler’s call has arrived, a second or so after the tick. */
const atMs = (tick: Date) => tick.getTime() + 1_240;

const SCHEDULES = { 'nightly-report': '0 2 * * *', 'send-digest': '0 * * * *', 'import-prices': '0 * * * *' } as const;

/*
 * The night of the page. Crontabs call nightly-report under `run --at-most 15m` on web-1, and import-prices under
 * `run --at-most 50m` on web-2. Nobody runs their ticks again. nightly-report was killed during its run. web-2 has been
 * down since 03:01. send-digest is a function with a timeout of 15 minutes. Its run of 03:00 takes longer than usual.
 */
test('docs/on-call.md shows what each command prints in a night after a crash', async () => {
  const { store } = stage().on('dynamodb');
  const digest = 'send-digest $LATEST eu-west-1';
  for (const [name, tick, tookMs, lockedBy] of [
    ['nightly-report', at(18, 2), 251_300, 'web-1 process 611'],
    ['nightly-report', at(19, 2), 248_900, 'web-1 process 684'],
    ['send-digest', at(20, 2), 61_700, `${digest} 77c2`],
    ['import-prices', at(20, 2), 734_000, 'web-2 process 1102'],
  ] as const) {
    await ranAt(store, name, { tick, atMs: atMs(tick), tookMs, lockedBy, schedule: SCHEDULES[name] });
  }
  for (const [name, hour, leaseMs, lockedBy] of [
    ['nightly-report', 2, 900_000, 'web-1 process 730'],
    ['send-digest', 3, 902_000, `${digest} 41d0`],
    ['import-prices', 3, 3_000_000, 'web-2 process 1207'],
  ] as const) {
    const tick = at(20, hour);
    await taken(store, name, {
      tick: tick.getTime(),
      lockedBy,
      leaseMs,
      clock: clockAt(atMs(tick)),
      schedule: SCHEDULES[name],
    });
  }
  await writeFile(join(stage().cli.folder, 'nightly-report.mjs'), REPORT);

  await checkPage('docs/on-call.md', stage(), at(20, 3, 5).getTime());
}, 300_000);

/** The page's job, as a program. */
const REPORT = `
const { SINGLE_EXECUTION_TICK } = process.env;
console.log(\`report of \${SINGLE_EXECUTION_TICK.slice(0, 10)} sent to 214 readers\`);
`;
