import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { bundledProgram } from '../support/bundled-program.js';
import { UsageError } from '../support/play/command.js';
import { KEPT_WORLDS } from './kept-worlds.js';
import type { Kind, Stage } from './regime.js';
import { readSimSettings, type SimSettings } from './settings.js';
import { MISTAKE } from './sim-bug.js';
import { NO_BUG, SIM_BUGS } from './sim-bugs.js';
import { FEW, MOST_REMAINDER, sum, type Tally } from './tally.js';
import type { WorldsOrder } from './worlds.js';

/*
 * `npm run sim -- [--seeds 4000] [--from 1] [--stage redis] [--regime hostile]` plays that many worlds, shared among
 * the kinds, and all kept worlds. `npm run sim -- --bugs [--seeds 1000]` checks that each bug of `*-bugs.ts` is found.
 * It plays up to that many worlds for each bug, beginning with the world that first showed it. The exit code is 1 if
 * something is wrong.
 */

/** How many calls may end with their lock held, on average for each world: the network stays silent or slow. */
const MOST_LEFT_HELD: Readonly<Record<Stage, number>> = { dynamodb: 0.1, redis: 0.5, sql: 0.6, election: 0.2 };
/** The number of worlds, for each kind, that show that the hooks for bugs break nothing by themselves. */
const SOUND_WORLDS = 20;
/** How many worlds a kind of each stage gets, relative to the others. Elections take longest, so they get fewest. */
const SHARE: Readonly<Record<Stage, number>> = { dynamodb: 60, redis: 6, sql: 6, election: 2 };

const WORLDS = new URL('worlds.ts', import.meta.url);
/** Packages that take long to bundle, and are loaded from this repository. */
const EXTERNAL = ['@aws-sdk/*', 'fengari'];

const settings = readArguments();
const workers = availableParallelism();
if (settings) process.exitCode = (await (settings.bugs ? playBugs(settings) : playWorlds(settings))) ? 0 : 1;

function readArguments(): SimSettings | undefined {
  try {
    return readSimSettings(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
    return undefined;
  }
}

async function playWorlds({ kinds, from, seeds: all }: SimSettings): Promise<boolean> {
  const shares = kinds.reduce((sum, { stage }) => sum + SHARE[stage], 0);
  const program = await bundledProgram(WORLDS, {}, EXTERNAL);
  const rows: Record<string, object> = {};
  const broken: Tally[] = [];
  const excesses: string[] = [];
  try {
    for (const kind of kinds) {
      const started = performance.now();
      const tally = await playShared(program.path, kind, from, Math.ceil((all * SHARE[kind.stage]) / shares));
      const seconds = Math.round((performance.now() - started) / 1_000);
      rows[nameOf(kind)] = { ...tally.counts, violations: tally.violations.length, seconds };
      if (tally.violations.length > 0) broken.push(tally);
      excesses.push(...excessesOf(tally));
    }
    for (const [stage, regime, seed] of KEPT_WORLDS) {
      const tally = await play(program.path, { kind: { stage, regime }, from: seed, seeds: 1 });
      if (tally.violations.length > 0) broken.push(tally);
    }
  } finally {
    await program.remove();
  }
  console.table(rows);
  for (const tally of broken) {
    for (const line of tally.history) say(line);
    for (const { seed, what } of tally.violations.slice(0, 10)) say(`${nameOf(tally)}, seed ${seed}: ${what}`);
  }
  for (const excess of excesses) say(excess);
  return excesses.length === 0 && broken.length === 0;
}

async function playBugs({ seeds }: SimSettings): Promise<boolean> {
  const waiting = SIM_BUGS.flatMap(({ name, shownBy }) => shownBy.map((world) => ({ name, ...world })));
  const all = waiting.length;
  let survivors = 0;
  const program = await bundledProgram(WORLDS, {}, EXTERNAL);
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const tally = await play(program.path, { bug: next.name, kind: next, from: next.seed, seeds });
      const [found] = tally.violations;
      if (found && MISTAKE.test(found.what)) throw new Error(`${next.name}: ${found.what}`);
      const isKilled = found !== undefined || remaindersOf(tally).length > 0;
      if (!isKilled) survivors++;
      const by = found
        ? `seed ${found.seed}: ${found.what.slice(0, 80)}`
        : `remainder in ${tally.seedsWithRemainder} worlds, leftHeld ${tally.counts.leftHeld} times`;
      say(`${isKilled ? 'found' : 'NOT FOUND'}: ${next.name} (${nameOf(next)}, ${by})`);
    }
  };
  try {
    for (const world of NO_BUG.shownBy) {
      const order = { bug: NO_BUG.name, kind: world, from: world.seed, seeds: SOUND_WORLDS };
      const { violations } = await play(program.path, order);
      if (violations.length > 0) throw new Error(`no bug, and yet: ${violations[0]?.what}`);
    }
    await Promise.all(Array.from({ length: workers }, work));
  } finally {
    await program.remove();
  }
  say(`${SIM_BUGS.length} seeded bugs, found ${all - survivors} of ${all} times`);
  return survivors === 0;
}

/** Plays worlds in a process of its own. With a bug, it stops at the first world that shows the bug. */
async function play(path: string, order: WorldsOrder): Promise<Tally> {
  const args = [path, JSON.stringify(order)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1_048_576 });
  return JSON.parse(stdout) as Tally;
}

/** Plays this many worlds of a kind, shared among all processors. */
async function playShared(path: string, kind: Kind, from: number, seeds: number): Promise<Tally> {
  const share = Math.ceil(seeds / workers);
  const parts = Array.from({ length: workers }, (_, i) => Math.min(share, seeds - i * share));
  const orders = parts.map((n, i) => ({ kind, from: from + i * share, seeds: n })).filter(({ seeds: n }) => n > 0);
  return sum(kind, await Promise.all(orders.map((order) => play(path, order))));
}

function nameOf({ stage, regime }: Kind): string {
  return `${stage}, ${regime}`;
}

/** Reports what bad networks do not explain: too many locks without a runner, or too few grants. */
function excessesOf(tally: Tally): string[] {
  const { seeds, grants } = tally.counts;
  const excesses = [...remaindersOf(tally), ...(grants < seeds ? [`${grants} grants`] : [])];
  return excesses.map((excess) => `${nameOf(tally)}: ${excess}, of ${seeds} worlds`);
}

/** Reports locks left without a runner, if there are more than bad networks explain. */
function remaindersOf({ stage, seedsWithRemainder, counts: { leftHeld, seeds } }: Tally): string[] {
  const remainders = [
    seedsWithRemainder > Math.max(FEW, MOST_REMAINDER * seeds) && `a remainder in ${seedsWithRemainder} worlds`,
    leftHeld > Math.max(FEW, MOST_LEFT_HELD[stage] * seeds) && `${leftHeld} calls that ended with their lock held`,
  ];
  return remainders.filter((remainder) => remainder !== false);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
