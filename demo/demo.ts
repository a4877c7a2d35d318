import { bundledProgram } from '../test/support/bundled-program.js';
import { childPrograms } from '../test/support/child-program.js';
import type { History } from '../test/support/history/history.js';
import { type Breach, INVARIANTS, over } from '../test/support/history/invariants.js';
import { type CleanUps, oneOf, readFlags, runCommand, SWITCH, TEXT } from '../test/support/play/command.js';
import { paint } from '../test/support/play/terminal.js';
import { type Invariants, tellVerdict } from '../test/support/play/verdict.js';
import { startEngine } from './engines.js';
import { SITUATIONS } from './evening.js';
import { type Host, historyOf, nothingSeen, startHost } from './hosts.js';
import { drawn, racePicture } from './picture.js';
import { playRace } from './race.js';
import { ENGINES } from './stores.js';

/* `npm run demo`: plays the race of the README, then an evening of one job, both on two processes, and checks both. */

const USAGE = `Usage: npm run demo -- [--store dynamodb|postgres]

Sends the same deliveries to a bare and to a wrapped handler, and counts the double runs. Then
plays an evening over a real lock table: a failure, a lost answer, a crash. Takes about 20
seconds.

The table is in DynamoDB Local, or without Java in PGlite, a Postgres that needs nothing.

Exit code: 0 when every check passed, 1 when one failed.`;

/** The minute in which the ticks of the evening begin. Ticks are a minute apart; those of the race come first. */
const EVENING = 10;
const FIRST_TICK_MS = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
const EVENING_COLUMN_MS = 120;
/** The invariants that a handful of runs can break. */
const CHECKED = INVARIANTS.filter(({ name }) => ['I1', 'I2', 'I3, done', 'I3, told'].includes(name));

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const TITLES = { dynamodb: 'DynamoDB Local', postgres: 'PGlite, a Postgres in one process' } as const;

async function main({ store: kind }: ReturnType<typeof readSettings>, cleanUps: CleanUps): Promise<number> {
  const colours = paint(process.stdout.isTTY === true && !process.env['NO_COLOR']);
  const programs = childPrograms();
  cleanUps.push(programs.stop);
  console.log('Starting a database and two hosts. The race begins in some seconds, and takes four more.');
  const engine = await startEngine(kind, cleanUps);
  const bundle = await bundledProgram(new URL('./host.ts', import.meta.url));
  cleanUps.push(bundle.remove);
  const place = { path: bundle.path, programs, engine, name: 'send-digest' };
  const hosts: [Host, Host] = [await startHost('host 1', place), await startHost('host 2', place)];
  for (const { stop } of hosts) cleanUps.push(stop);

  const race = await playRace(hosts, FIRST_TICK_MS);
  console.log(['', ...racePicture(race, colours)].join('\n'));

  console.log(`An evening of one job on the same two hosts, over ${TITLES[engine.kind]}:\n`);
  console.log('  █ a run  ▒ a run that failed or was killed  · a skip\n');
  const seen = nothingSeen();
  const surprises: string[] = [];
  for (const [n, { title, wanted, play }] of SITUATIONS.entries()) {
    const startMs = Date.now();
    const endings = await play(hosts, seen, FIRST_TICK_MS + (EVENING + n) * 60_000);
    const rows = drawn(historyOf(seen), { startMs, columnMs: EVENING_COLUMN_MS }, colours);
    console.log([`  ${title}: ${endings.join(', ')}`, ...rows.map((row) => `    ${row}`), ''].join('\n'));
    if (endings.join() !== wanted.join()) surprises.push(`${title}: ${endings.join(', ')}`);
  }

  const checks: Invariants<readonly History[]> = {
    'each situation ends as it should': () => ({ cases: SITUATIONS.length, breaches: surprises }),
    ...withoutNames(over(CHECKED, (all) => all, shown)),
  };
  const passed = tellVerdict(checks, [race.within, historyOf(seen)], console.log, colours);
  console.log(passed ? '\nEvery check passed.' : '\nA check failed.');
  return passed ? 0 : 1;
}

/** The promises in words, without the invariants' names in docs/reliability.md. */
const withoutNames = <H>(checks: Invariants<H>): Invariants<H> =>
  Object.fromEntries(Object.entries(checks).map(([promise, check]) => [promise.replace(/ \(I[^)]*\)$/, ''), check]));

const shown = ({ what, facts }: Breach) => `${what}: ${facts.map(({ attempt }) => attempt)}`;

function readSettings(args: readonly string[]) {
  const { help = false, store } = readFlags(args, { help: SWITCH, store: TEXT });
  return { help, store: oneOf('--store', store, ENGINES) };
}

await runCommand({ usage: USAGE, readSettings, main });
