import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backendOf } from '../../support/backends.js';
import { bundledProgram } from '../../support/bundled-program.js';
import { childPrograms } from '../../support/child-program.js';
import { type CleanUps, runCommand } from '../../support/play/command.js';
import { type Random, random } from '../../support/play/random.js';
import { paint } from '../../support/play/terminal.js';
import { tellVerdict } from '../../support/play/verdict.js';
import { providePrograms } from '../../support/provided-programs.js';
import { startBadNetwork } from '../bad-network.js';
import { machineMs, wallOffsetMs } from './clock.js';
import { type Fleet, startFleet } from './fleet.js';
import { type GivenTick, historyOf, type SoakHistory, type WorkerOrder } from './history.js';
import { SOAK_INVARIANTS } from './invariants.js';
import { JOBS, type PlannedStep, planOf } from './plan.js';
import { readSettings, type Settings, USAGE } from './settings.js';
import { type Soak, summaryTable } from './summary.js';
import { witnessed } from './witness-file.js';

/*
 * `npm run chaos`: plays real processes of the library that are killed and stopped, with wrong clocks and a bad
 * network, and checks everything that they did.
 */

/** The fraction of requests that a fault strikes. */
const SHARE = 0.05;
/**
 * Faults that never strike by chance. A client with several requests under way would take `busy` for the answer to
 * another request, and a denied access is not a fault of the network.
 */
const SPARED: readonly string[] = ['busy', 'AccessDeniedException'];

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
const say = (line = '') => process.stdout.write(`${line}\n`);

async function main({ seed, minutes, stores }: Settings, cleanUps: CleanUps): Promise<number> {
  say(`Chaos: --seed ${seed} --minutes ${minutes}, on ${stores.join(', ')}`);
  await providePrograms('libfaketime', ...stores.flatMap((store) => backendOf(store).program ?? []));
  const program = await bundledProgram(new URL('./worker.ts', import.meta.url));
  cleanUps.push(program.remove);
  const programs = childPrograms();
  cleanUps.push(programs.stop);

  const soak = async (kind: Settings['stores'][number]): Promise<Soak> => {
    const chance = random(seed).fork(kind);
    const { choose, struck } = strikes(chance.fork('network'), backendOf(kind).faults);
    const { address, stop } = await startBadNetwork(kind, choose);
    cleanUps.push(stop);
    const steps = planOf(chance.fork('plan'), JOBS, minutes * 60_000);
    const folder = await mkdtemp(join(tmpdir(), 'single-execution-soak-'));
    cleanUps.push(() => rm(folder, { recursive: true }));
    const originMs = machineMs();
    const order: WorkerOrder = { store: address, folder, originMs };
    const fleet = await startFleet(program.path, order, programs, chance.fork('clocks'));
    const given = await play(steps, fleet);
    const history: SoakHistory = {
      store: kind,
      startedAt: originMs + wallOffsetMs(),
      ...historyOf(await fleet.finish(), given),
      writes: new Map(
        await Promise.all(
          JOBS.map(async ({ name }) => {
            return [name, witnessed(await readFile(join(folder, name), 'utf8').catch(() => ''))] as const;
          }),
        ),
      ),
    };
    return { history, seconds: (machineMs() - originMs) / 1_000, struck };
  };
  const soaks = await Promise.all(stores.map(soak));

  const colours = paint(process.stdout.isTTY === true);
  let allHeld = true;
  for (const { history } of soaks) {
    say(`\n${history.store}`);
    allHeld = tellVerdict(SOAK_INVARIANTS, history, say, colours) && allHeld;
  }
  say(['', ...summaryTable(soaks), ''].join('\n'));
  say(allHeld ? 'Every invariant held.' : `An invariant broke: plan the same faults again with --seed ${seed}.`);
  return allHeld ? 0 : 1;
}

/** Chooses the requests to strike and a kind of fault for each, and records them. */
function strikes(chance: Random, faults: readonly string[]) {
  const kinds = faults.filter((fault) => !SPARED.includes(fault));
  const struck: string[] = [];
  const choose = () => {
    if (!chance.chance(SHARE)) return undefined;
    const fault = chance.pick(kinds);
    struck.push(fault);
    return fault;
  };
  return { choose, struck };
}

/** Plays a plan on a fleet. @returns which tick was given to which worker */
async function play(steps: readonly PlannedStep[], fleet: Fleet): Promise<GivenTick[]> {
  const startMs = machineMs();
  // Ticks lie far in the past, so that they are in the past also by a clock that is behind.
  const firstTickMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
  const given: GivenTick[] = [];
  for (const step of steps) {
    const leftMs = startMs + step.atMs - machineMs();
    if (leftMs > 0) await sleep(leftMs);
    if (step.kind === 'kill') fleet.kill(step.slot);
    else if (step.kind === 'stop') fleet.stop(step.slot, step.forMs);
    else {
      const { job, worksMs, fails } = step;
      const order = { id: given.length + 1, job, tickMs: firstTickMs + job.isDueLaterMs + step.tickMs, worksMs, fails };
      const life = fleet.give(step.slot, order);
      if (life) given.push({ order, life });
    }
  }
  return given;
}

await runCommand({ usage: USAGE, readSettings, main });
