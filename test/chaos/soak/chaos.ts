import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundledProgram } from '../../support/bundled-program.js';
import { childPrograms } from '../../support/child-program.js';
import { type CleanUps, runCommand } from '../../support/play/command.js';
import { random } from '../../support/play/random.js';
import { paint } from '../../support/play/terminal.js';
import { tellVerdict } from '../../support/play/verdict.js';
import { providePrograms } from '../../support/provided-programs.js';
import type { StoreAddress } from '../../support/store-address.js';
import { NETWORKS } from './bad-network.js';
import { machineMs, wallOffsetMs } from './clock.js';
import { type Fleet, startFleet } from './fleet.js';
import { type GivenTick, historyOf, type SoakHistory, type WorkerOrder } from './history.js';
import { SOAK_INVARIANTS } from './invariants.js';
import { JOBS, type PlannedStep, planOf, type SoakJob } from './plan.js';
import { readSettings, type Settings, USAGE } from './settings.js';
import { type Soak, summaryTable } from './summary.js';
import { type WitnessedWrite, witnessed } from './witness-file.js';

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
    const { address, struck, stop } = await NETWORKS[store](chance.fork('network'));
    cleanUps.push(stop);
    const steps = planOf(chance.fork('plan'), JOBS, minutes * 60_000);
    const folder = await mkdtemp(join(tmpdir(), 'single-execution-soak-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    const originMs = machineMs();
    const order: WorkerOrder = { store: address, folder, originMs };
    const fleet = await startFleet(program.path, order, programs, chance.fork('clocks'));
    const given = await play(steps, fleet);
    const history = {
      store,
      startedAt: originMs + wallOffsetMs(),
      ...historyOf(await fleet.finish(), given),
      writes: await witnessedIn(folder),
    };
    return { history, seconds: (machineMs() - originMs) / 1_000, struck };
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

/** Plays a plan on a fleet. @returns what was given to whom */
async function play(steps: readonly PlannedStep[], fleet: Fleet): Promise<GivenTick[]> {
  const startMs = machineMs();
  // In the past, so that no tick is in the future of a host whose clock is behind.
  const firstTickMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
  const given: GivenTick[] = [];
  for (const step of steps) {
    const leftMs = startMs + step.atMs - machineMs();
    if (leftMs > 0) await sleep(leftMs);
    if (step.kind === 'kill') fleet.kill(step.slot);
    else if (step.kind === 'stop') fleet.stop(step.slot, step.forMs);
    else {
      const { job, worksMs, fails } = step;
      const order = { id: given.length + 1, job, tickMs: firstTickMs + step.tickMs, worksMs, fails };
      const life = fleet.give(step.slot, order);
      if (life) given.push({ order, life });
    }
  }
  return given;
}

async function witnessedIn(folder: string): Promise<SoakHistory['writes']> {
  const ofJob = async ({ name }: SoakJob): Promise<[string, WitnessedWrite[]]> => {
    return [name, witnessed(await readFile(join(folder, name), 'utf8').catch(() => ''))];
  };
  return new Map(await Promise.all(JOBS.map(ofJob)));
}

await runCommand({ usage: USAGE, readSettings, main });
