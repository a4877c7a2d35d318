import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore } from 'single-execution/dynamodb';
import { childPrograms } from '../test/support/child-program.js';
import { type CleanUps, runCommand } from '../test/support/play/command.js';
import { random } from '../test/support/play/random.js';
import { paint } from '../test/support/play/terminal.js';
import { tellVerdict } from '../test/support/play/verdict.js';
import { createTables, LOCK_TABLE, readFacts, startEngine } from './data.js';
import type { History } from './history.js';
import { everySituation, INVARIANTS } from './invariants.js';
import { type Job, NIGHTLY_REPORT, TENANT_SYNCS } from './jobs.js';
import { startPlatform } from './platform.js';
import { readSettings, type Settings, USAGE } from './settings.js';
import { NIGHTS, SITUATIONS, untilFree } from './situations.js';
import { row, summaryTable, timelineRow } from './summary.js';

/*
 * `npm run demo`: an evening of a small fleet, and a check of all that it did. Each job has two workers and plays one
 * situation after the other until the time is up. Which ones depends on the seed; who wins depends on the moment.
 */

/** The engine asks for credentials, and for none in particular. */
Object.assign(process.env, {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
});

async function main({ seed, seconds, engine: wanted }: Settings, cleanUps: CleanUps): Promise<number> {
  const programs = childPrograms();
  cleanUps.push(programs.stop);
  const engine = await startEngine(wanted, programs, cleanUps);
  console.log(`An evening on ${engine.name}: --seed ${seed} --seconds ${seconds}\n`);
  const client = new DynamoDBClient({ endpoint: engine.endpoint });
  cleanUps.push(async () => client.destroy());
  await createTables(client, NIGHTLY_REPORT.firstTickMs);

  const history: History = {
    invocations: [],
    situations: [],
    lostAnswers: [],
    leftOut: [],
    pauses: [],
    crashes: [],
    facts: [],
  };
  const workerFor = await startPlatform(engine.endpoint, programs, cleanUps, (invocation) => {
    history.invocations.push(invocation);
    console.log(timelineRow(invocation));
  });
  const admin = lockAdmin(dynamoDBAdminStore({ tableName: LOCK_TABLE, client }));
  const playJob = async (job: Job, opening: readonly string[]) => {
    let ticks = 0;
    const chance = random(seed).fork(job.name);
    const [one, other] = await Promise.all([workerFor(job), workerFor(job)]);
    const nextTick = () => job.firstTickMs + ticks++ * job.everyMs;
    const [situations, isNight] = job === NIGHTLY_REPORT ? [NIGHTS, true] : [SITUATIONS, false];
    for (const next = [...opening]; next.length > 0 || performance.now() < seconds * 1_000; ) {
      const name = next.shift() ?? chance.pick(Object.keys(situations));
      if (isNight && name !== 'started by hand') await untilFree({ admin, job });
      console.log(row(performance.now(), job.name, '', '', `(${name})`));
      await situations[name]?.({ job, random: chance, one, other, admin, history, nextTick });
      history.situations.push(name);
      await sleep(chance.whole(50, 500));
    }
  };
  // Each situation once, and whatever follows by chance.
  const names = random(seed).shuffled(Object.keys(SITUATIONS));
  // The first request of a process is slow, which a run that is to crash has no time for.
  const dealtTo = (player: number) => ['on time', ...names.filter((_, i) => i % TENANT_SYNCS.length === player)];
  await Promise.all([
    playJob(NIGHTLY_REPORT, ['failure', 'started by hand', 'night left out', 'crash']),
    ...TENANT_SYNCS.map((job, i) => playJob(job, dealtTo(i))),
  ]);
  history.facts.push(...(await readFacts(client, history.invocations)));

  console.log(['', ...summaryTable(history), ''].join('\n'));
  const invariants = { ...INVARIANTS, ...everySituation(Object.keys(NIGHTS)) };
  const held = tellVerdict(invariants, history, console.log, paint(process.stdout.isTTY === true));
  console.log(held ? '\nEvery invariant held.' : `\nAn invariant broke: play it again with --seed ${seed}.`);
  return held ? 0 : 1;
}

await runCommand({ usage: USAGE, readSettings, main });
