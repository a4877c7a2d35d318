import { lockAdmin } from 'single-execution/admin';
import { bundledProgram } from '../test/support/bundled-program.js';
import { childPrograms } from '../test/support/child-program.js';
import { type CleanUps, oneOf, readFlags, runCommand, SWITCH, TEXT } from '../test/support/play/command.js';
import { paint } from '../test/support/play/terminal.js';
import { tellVerdict } from '../test/support/play/verdict.js';
import { CHECKS } from './checks.js';
import { startEngine } from './engines.js';
import { type Host, playEvening, type Scene, SITUATIONS, startHost, type Work } from './evening.js';
import { playLanes } from './lanes.js';
import { lanesPicture } from './lanes-picture.js';
import { ENGINES, type Engine, storesOf } from './stores.js';

/* `npm run demo`: the race of the README, then an evening of one job on two hosts, and a check of what was seen. */

const USAGE = `Usage: npm run demo -- [--store dynamodb|postgres]

Sends the same deliveries to a bare and to a wrapped handler, and counts the double runs. Then
plays an evening on two processes over a real lock table: duplicates, an overrun, a failure, a
lost answer, a pause, a crash. Takes about 30 seconds.

The table is in DynamoDB Local, which needs Java, or in PGlite, a Postgres that needs nothing.
Without --store it is DynamoDB Local, which starts sooner, if there is a Java.

Exit code: 0 when every check passed, 1 when one failed.`;

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const TITLES = { dynamodb: 'DynamoDB Local', postgres: 'PGlite, a Postgres in one process' } as const;

async function main({ store: kind }: Settings, cleanUps: CleanUps): Promise<number> {
  const colours = paint(process.stdout.isTTY === true && !process.env['NO_COLOR']);
  const programs = childPrograms();
  cleanUps.push(programs.stop);
  const engine = await startEngine(kind, cleanUps);
  const { store, admin } = storesOf(engine);

  const lanes = await playLanes(store);
  console.log(['', ...lanesPicture(lanes, colours)].join('\n'));

  console.log(`An evening of one job on two hosts, over ${TITLES[engine.kind]}:\n`);
  const bundle = await bundledProgram(new URL('./host.ts', import.meta.url));
  cleanUps.push(bundle.remove);
  const works: Work[] = [];
  const place = { path: bundle.path, programs, engine };
  const hosts: [Host, Host] = [await startHost(0, place, works), await startHost(1, place, works)];
  for (const { stop } of hosts) cleanUps.push(stop);
  const scenes = await playEvening(hosts, lockAdmin(admin), (scene) =>
    console.log(sceneLines(scene, colours).join('\n')),
  );

  console.log('');
  const passed = tellVerdict(CHECKS, { lane: lanes.within, scenes, works }, console.log, colours);
  console.log(passed ? '\nEvery check passed.' : '\nA check failed.');
  return passed ? 0 : 1;
}

/** The deliveries of a situation, a line each: its tick, and a column for each host. */
function sceneLines({ title, deliveries }: Scene, { good, odd, dim }: ReturnType<typeof paint>): string[] {
  const width = Math.max(...SITUATIONS.map(([name]) => name.length));
  return deliveries.map(({ host, tickMs, ending }, n) => {
    const colour = ending === 'ran' ? good : ending.startsWith('skipped') ? dim : odd;
    const cell = `${' '.repeat(host * 27)}${colour(`host ${host + 1} ${ending}`)}`;
    return `  ${(n === 0 ? title : '').padEnd(width)}  ${new Date(tickMs).toISOString().slice(11, 16)}  ${cell}`;
  });
}

interface Settings {
  readonly help: boolean;
  readonly store: Engine['kind'] | undefined;
}

function readSettings(args: readonly string[]): Settings {
  const { help = false, store } = readFlags(args, { help: SWITCH, store: TEXT });
  return { help, store: oneOf('--store', store, ENGINES) };
}

await runCommand({ usage: USAGE, readSettings, main });
