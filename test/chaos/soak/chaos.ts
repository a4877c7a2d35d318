import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundledProgram } from '../../support/bundled-program.js';
import { childPrograms } from '../../support/child-program.js';
import { type CleanUps, runCommand } from '../../support/play/command.js';
import { random } from '../../support/play/random.js';
import { paint } from '../../support/play/terminal.js';
import { tellVerdict } from '../../support/play/verdict.js';
import { providePrograms } from '../../support/provided-programs.js';
import type { StoreAddress } from '../../support/store-address.js';
import { NETWORKS } from './bad-network.js';
import { SOAK_INVARIANTS } from './invariants.js';
import { JOBS } from './jobs.js';
import { machineMs } from './machine-clock.js';
import { planOf } from './plan.js';
import { play } from './play.js';
import { readSettings, type Settings, USAGE } from './settings.js';
import { type Soak, summaryTable } from './summary.js';

/*
 * `npm run chaos`: real processes of the library, killed, stopped, with wrong clocks and a bad network, and a check of
 * all that they did.
 */

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
const say = (line = '') => process.stdout.write(`${line}\n`);

async function main({ seed, minutes, stores }: Settings, cleanUps: CleanUps): Promise<number> {
  say(`Chaos: --seed ${seed} --minutes ${minutes}, on ${stores.join(', ')}`);
  await providePrograms('libfaketime', ...stores.map((store) => (store === 'dynamodb' ? 'java' : 'redis-server')));
  const program = await bundledProgram(new URL('./worker.ts', import.meta.url));
  cleanUps.push(program.remove);
  const programs = childPrograms();
  cleanUps.push(programs.stop);

  const soak = async (store: StoreAddress['kind']): Promise<Omit<Soak, 'violations'>> => {
    const chance = random(seed).fork(store);
    const network = await NETWORKS[store](chance.fork('network'));
    cleanUps.push(network.stop);
    const startedMs = machineMs();
    const steps = planOf(chance.fork('plan'), JOBS, minutes * 60_000);
    const folder = await mkdtemp(join(tmpdir(), 'single-execution-soak-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    const { address, struck } = network;
    const clocks = chance.fork('clocks');
    const history = await play(steps, { programs, path: program.path, address, jobs: JOBS, random: clocks, folder });
    return { history, seconds: (machineMs() - startedMs) / 1_000, struck };
  };
  const played = await Promise.all(stores.map(soak));

  const colours = paint(process.stdout.isTTY === true);
  let allHeld = true;
  const soaks = played.map((one): Soak => {
    say();
    say(one.history.store);
    const held = tellVerdict(SOAK_INVARIANTS, one.history, say, colours);
    allHeld &&= held;
    const findings = SOAK_INVARIANTS.map(({ check }) => check(one.history).breaches.length);
    return { ...one, violations: findings.reduce((total, breaches) => total + breaches, 0) };
  });
  say();
  for (const row of summaryTable(soaks)) say(row);
  say();
  say(allHeld ? 'Every invariant held.' : `An invariant broke: plan the same faults again with --seed ${seed}.`);
  return allHeld ? 0 : 1;
}

await runCommand({ usage: USAGE, readSettings, main });
