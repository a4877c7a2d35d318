import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore } from 'single-execution/dynamodb';
import { type CleanUps, runCommand } from '../test/support/play/command.js';
import { random } from '../test/support/play/random.js';
import { paint } from '../test/support/play/terminal.js';
import { tellVerdict } from '../test/support/play/verdict.js';
import { startEngine } from './engine.js';
import { FIRST_DAY_MS, JOBS, playEvening, SITUATIONS, TENANTS } from './evening.js';
import { startFleet } from './fleet.js';
import { everySituation, INVARIANTS } from './invariants.js';
import { putOrders, readFacts } from './orders.js';
import { recorder } from './recorder.js';
import { readSettings, type Settings, USAGE } from './settings.js';
import { summaryTable } from './summary.js';
import { createTables, LOCK_TABLE } from './tables.js';
import { timeline } from './timeline.js';

/** A play too short for every situation shows nothing: below this the start is not counted. */
const SHORTEST_PLAY_MS = 8_000;

/** The engine asks for credentials, and for none in particular. */
const AWS_ENV = {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};

const say = (line = '') => console.log(line);

async function main({ seed, seconds, workers, engine: wanted }: Settings, cleanUps: CleanUps): Promise<number> {
  const startedMs = performance.now();
  const engine = await startEngine(wanted, say);
  cleanUps.push(engine.stop);
  say(`An evening of ${workers} workers on ${engine.name}: --seed ${seed} --seconds ${seconds} --workers ${workers}`);
  say();

  Object.assign(process.env, AWS_ENV);
  const client = new DynamoDBClient({ endpoint: engine.endpoint });
  cleanUps.push(async () => client.destroy());
  await createTables(client);
  const totals = await putOrders(client, random(seed).fork('orders'), FIRST_DAY_MS);
  const fleet = await startFleet(workers, engine.endpoint);
  cleanUps.push(fleet.stop);

  const record = recorder(JOBS.filter(({ tickMark }) => tickMark === 'start').map(({ name }) => name));
  const colours = paint(process.stdout.isTTY === true);
  const lines = timeline(say, colours, record.workerOf);
  lines.head();
  const lastsMs = Math.max(SHORTEST_PLAY_MS, seconds * 1_000 - (performance.now() - startedMs));
  const admin = lockAdmin(dynamoDBAdminStore({ tableName: LOCK_TABLE, client }));
  await playEvening(random(seed), lastsMs, { fleet, admin, recorder: record, timeline: lines });

  for (const fact of await readFacts(client, totals, TENANTS, record.history.works)) record.fact(fact);

  say();
  for (const row of summaryTable(record.history)) say(row);
  say();
  const invariants = [...INVARIANTS, everySituation(SITUATIONS)];
  const held = tellVerdict(invariants, record.history, say, colours);
  say();
  say(held ? 'Every invariant held.' : `An invariant broke: play it again with --seed ${seed}.`);
  return held ? 0 : 1;
}

await runCommand({ usage: USAGE, readSettings, main });
