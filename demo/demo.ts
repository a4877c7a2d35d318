import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { lockAdmin } from 'single-execution/admin';
import { createLockTable, dynamoDBAdminStore } from 'single-execution/dynamodb';
import { bundledProgram } from '../test/support/bundled-program.js';
import { type ChildPrograms, childPrograms } from '../test/support/child-program.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import { type CleanUps, readFlags, runCommand, SWITCH } from '../test/support/play/command.js';
import { paint } from '../test/support/play/terminal.js';
import { tellVerdict } from '../test/support/play/verdict.js';
import { CHECKS } from './checks.js';
import { type Host, playEvening, type Scene, SITUATIONS, startHost, type Work } from './evening.js';
import { playLanes } from './lanes.js';
import { lanesPicture } from './lanes-picture.js';

/* `npm run demo`: the race of the README, then an evening of one job on two hosts, and a check of what was seen. */

const USAGE = `Usage: npm run demo

Sends the same deliveries to a bare and to a wrapped handler, and counts the double runs. Then
plays an evening on two processes over a real lock table: duplicates, an overrun, a failure, a
lost answer, a pause, a crash. Takes about 30 seconds.

Exit code: 0 when every check passed, 1 when one failed.`;

const TABLE = 'locks';

/** The engine asks for credentials, and for none in particular. */
Object.assign(process.env, {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
});

async function main(_: unknown, cleanUps: CleanUps): Promise<number> {
  const colours = paint(process.stdout.isTTY === true && !process.env['NO_COLOR']);
  const programs = childPrograms();
  cleanUps.push(programs.stop);
  const { title, endpoint } = await startEngine(programs, cleanUps);
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = endpoint;
  const client = new DynamoDBClient({});
  cleanUps.push(async () => client.destroy());
  await createLockTable(client, { tableName: TABLE });

  const lanes = await playLanes(TABLE);
  console.log(['', ...lanesPicture(lanes, colours)].join('\n'));

  console.log(`An evening of one job on two hosts, over ${title}:\n`);
  const bundle = await bundledProgram(new URL('./host.ts', import.meta.url));
  cleanUps.push(bundle.remove);
  const works: Work[] = [];
  const place = { path: bundle.path, programs, endpoint, tableName: TABLE };
  const hosts: [Host, Host] = [await startHost(0, place, works), await startHost(1, place, works)];
  for (const { stop } of hosts) cleanUps.push(stop);
  const admin = lockAdmin(dynamoDBAdminStore({ tableName: TABLE, client }));
  const scenes = await playEvening(hosts, admin, (scene) => console.log(sceneLines(scene, colours).join('\n')));

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

/** The real DynamoDB Local if it can run here, else dynalite. */
async function startEngine(programs: ChildPrograms, cleanUps: CleanUps) {
  try {
    const { endpoint, stop } = await startDynamoDBLocal();
    cleanUps.push(stop);
    return { title: 'DynamoDB Local', endpoint };
  } catch (error) {
    console.log(`No DynamoDB Local: ${(error as Error).message.split('\n')[0]}`);
  }
  const dynalite = programs.start(fileURLToPath(new URL('./dynalite.mjs', import.meta.url)), {});
  const { port } = await dynalite.until('ready');
  return { title: 'dynalite (no Java needed)', endpoint: `http://127.0.0.1:${port}` };
}

const readSettings = (args: readonly string[]) => ({ help: false, ...readFlags(args, { help: SWITCH }) });

await runCommand({ usage: USAGE, readSettings, main });
