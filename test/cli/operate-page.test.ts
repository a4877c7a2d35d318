import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { checkPage } from './printed-page.js';
import { cliStage, clockAt, ranAt, taken } from './stage.js';

const stage = cliStage();
const at = (day: number, hour: number, minute = 0) => new Date(Date.UTC(2026, 10, day, hour, minute));
/** When the scheduler’s call has arrived, a second or so after the tick. */
const atMs = (tick: Date) => tick.getTime() + 1_240;

test('docs/guides/operate.md shows what each command prints in a night after a crash', async () => {
  const { store } = stage().on('dynamodb');
  const report = 'nightly-report $LATEST eu-west-1';
  const digest = 'send-digest $LATEST eu-west-1';
  for (const [day, tookMs, id] of [
    [18, 251_300, '0a7e'],
    [19, 248_900, '93bd'],
  ] as const) {
    const tick = at(day, 2);
    await ranAt(store, 'nightly-report', { tick, atMs: atMs(tick), tookMs, lockedBy: `${report} ${id}` });
  }
  const past = at(20, 2);
  await ranAt(store, 'send-digest', { tick: past, atMs: atMs(past), tookMs: 61_700, lockedBy: `${digest} 77c2` });
  for (const [name, hour, lockedBy] of [
    ['nightly-report', 2, `${report} 6f2c`],
    ['send-digest', 3, `${digest} 41d0`],
  ] as const) {
    const tick = at(20, hour);
    await taken(store, name, { tick: tick.getTime(), lockedBy, leaseMs: 900_000, clock: clockAt(atMs(tick)) });
  }
  await writeFile(join(stage().cli.folder, 'nightly-report.mjs'), REPORT);

  await checkPage('docs/guides/operate.md', stage(), at(20, 3, 5).getTime());
}, 300_000);

/** The job of the page: the program that does the work. */
const REPORT = `
const { SINGLE_EXECUTION_TICK } = process.env;
console.log(\`report of \${SINGLE_EXECUTION_TICK.slice(0, 10)} sent to 214 readers\`);
`;
