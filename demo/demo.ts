import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore } from 'single-execution/dynamodb';
import { builtCli } from '../test/support/built-cli.js';
import { childPrograms } from '../test/support/child-program.js';
import { type CleanUps, runCommand } from '../test/support/play/command.js';
import { random } from '../test/support/play/random.js';
import { paint } from '../test/support/play/terminal.js';
import { tellVerdict } from '../test/support/play/verdict.js';
import { createTables, LOCK_TABLE, readFacts, startEngine } from './data.js';
import { newHistory } from './history.js';
import { everySituation, INVARIANTS, noDoubleRun } from './invariants.js';
import { type Job, NIGHTLY_REPORT, SEND_DIGEST, TENANT_SYNC } from './jobs.js';
import { playLanes } from './lanes.js';
import { lanesPicture } from './lanes-picture.js';
import { pictureOf, summaryTable } from './picture.js';
import { startPlatform } from './platform.js';
import { readSettings, type Settings, USAGE } from './settings.js';
import { NIGHTS, SITUATIONS, untilFree } from './situations.js';

/*
 * `npm run demo`: the race of the README, then an evening of a small fleet, and a check of all that it did. Each job has
 * two workers and plays one situation after the other until the time is up. Which ones depends on the seed; who wins
 * depends on the moment.
 */

/** Those whose retries run come first; the last one's do not. */
const JOBS = [SEND_DIGEST, NIGHTLY_REPORT, TENANT_SYNC];

/** The engine asks for credentials, and for none in particular. */
Object.assign(process.env, {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
});

async function main({ seed, seconds, engine: wanted, html }: Settings, cleanUps: CleanUps): Promise<number> {
  const isTerminal = process.stdout.isTTY === true;
  const colours = paint(isTerminal && !process.env['NO_COLOR']);
  const programs = childPrograms();
  cleanUps.push(programs.stop);
  const engine = await startEngine(wanted, programs, cleanUps);
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = engine.endpoint;
  const client = new DynamoDBClient({});
  cleanUps.push(async () => client.destroy());
  await createTables(client, NIGHTLY_REPORT.firstTickMs);
  const lanes = await playLanes();
  console.log(['', ...lanesPicture(lanes, colours)].join('\n'));

  console.log(`An evening of three jobs on ${engine.name}: --seed ${seed} --seconds ${seconds}`);
  console.log(
    `A retry of a failed tick runs; not so in ${TENANT_SYNC.name}, which runs each tick at most once (tickMark: 'start').\n`,
  );
  const picture = pictureOf(JOBS, colours, isTerminal);
  const history = newHistory();
  const workerFor = await startPlatform(engine.endpoint, programs, cleanUps, (invocation) => {
    history.invocations.push(invocation);
    picture.invocation(invocation);
  });
  const admin = lockAdmin(dynamoDBAdminStore({ tableName: LOCK_TABLE, client }));
  const endMs = performance.now() + seconds * 1_000;
  const playJob = async (job: Job, opening: readonly string[]) => {
    let ticks = 0;
    const chance = random(seed).fork(job.name);
    const [one, other] = await Promise.all([workerFor(job), workerFor(job)]);
    const nextTick = () => job.firstTickMs + ticks++ * job.everyMs;
    const [situations, isNight] = job === NIGHTLY_REPORT ? [NIGHTS, true] : [SITUATIONS, false];
    for (const next = [...opening]; next.length > 0 || performance.now() < endMs; ) {
      const name = next.shift() ?? chance.pick(Object.keys(situations));
      if (isNight && name !== 'started by hand') await untilFree({ admin, job });
      picture.situation(job, name);
      await situations[name]?.({ job, random: chance, one, other, admin, history, nextTick });
      history.situations.push(name);
      await sleep(chance.whole(50, 500));
    }
  };
  // The first request of a process is slow, which a run that is to crash has no time for.
  const first = ['on time', 'failure'];
  // Each situation once, and whatever follows by chance.
  const names = random(seed).shuffled(Object.keys(SITUATIONS).filter((name) => !first.includes(name)));
  await Promise.all([
    playJob(SEND_DIGEST, [...first, ...names.slice(0, 3)]),
    playJob(NIGHTLY_REPORT, ['failure', 'started by hand', 'night left out', 'crash']),
    playJob(TENANT_SYNC, [...first, ...names.slice(3)]),
  ]);
  history.facts.push(...(await readFacts(client, history.invocations)));

  console.log(['', ...summaryTable(history), ''].join('\n'));
  const invariants = { ...noDoubleRun(lanes.within), ...INVARIANTS, ...everySituation(Object.keys(NIGHTS)) };
  const held = tellVerdict(invariants, history, console.log, colours);
  console.log(held ? '\nEvery invariant held.' : `\nAn invariant broke: play it again with --seed ${seed}.`);
  if (html !== undefined) console.log(await writePage(resolve(html), engine.endpoint, cleanUps));
  return held ? 0 : 1;
}

/** The static page of the console, written by the command-line tool. */
async function writePage(file: string, endpoint: string, cleanUps: CleanUps): Promise<string> {
  const cli = await builtCli();
  cleanUps.push(cli.remove);
  const args = ['console', '--export', file, '--table', LOCK_TABLE, '--endpoint', endpoint];
  const { stdout, stderr } = await cli.run(args);
  return `\n${(stdout || stderr).trim()}`;
}

await runCommand({ usage: USAGE, readSettings, main });
