import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants.js';
import { REGIMES, type RegimeName } from './regime.js';
import { simulation } from './simulate.js';
import type { Tally } from './tally.js';

/*
 * `npm run sim -- [--seeds 20000] [--from 1] [--regime hostile]` plays so many worlds, of one regime or shared among all.
 * `npm run sim -- --mutants [--seeds 3000]` shows that each bug of `mutants.ts` is found in so many worlds. Both end with
 * an exit code of 1 where something is amiss.
 */

/** Most worlds, of a hundred, in which a lock may be left without a runner: see docs/protocol.md, "What can remain". */
const MOST_REMAINDER = 0.01;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    regime: { type: 'string' },
    mutants: { type: 'boolean', default: false },
  },
});
if (values.regime !== undefined && !Object.hasOwn(REGIMES, values.regime)) {
  throw new RangeError(`regime is '${values.regime}': choose ${Object.keys(REGIMES).join(', ')}`);
}
const workers = availableParallelism();
const isSound = values.mutants ? await playMutants(Number(values.seeds ?? 3_000)) : await playWorlds();
process.exitCode = isSound ? 0 : 1;

async function playWorlds(): Promise<boolean> {
  const regimes = (values.regime === undefined ? Object.keys(REGIMES) : [values.regime]) as RegimeName[];
  const each = Math.ceil(Number(values.seeds ?? 20_000) / regimes.length);
  const sim = await simulation();
  const rows: Record<string, object> = {};
  const notes: string[] = [];
  let isSound = true;
  try {
    for (const regime of regimes) {
      const started = performance.now();
      const tally = await sim.play(regime, Number(values.from), each, workers);
      const { seeds, grants, runs, skips, told, violations } = tally;
      const seconds = Math.round((performance.now() - started) / 1_000);
      rows[regime] = { seeds, grants, runs, skips, told, ...kinds(tally), violations: violations.length, seconds };
      notes.push(...violations.slice(0, 10).map(({ seed, what }) => `${regime}, seed ${seed}: ${what}`));
      if (violations.length > 0 || remainderOf(tally) > MOST_REMAINDER || grants < seeds) isSound = false;
    }
  } finally {
    await sim.dispose();
  }
  console.table(rows);
  for (const note of notes) say(note);
  return isSound;
}

async function playMutants(seeds: number): Promise<boolean> {
  const waiting = [...MUTANTS];
  let survivors = 0;
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const sim = await simulation(next.edits);
      try {
        const tally = await sim.playUntilViolation(next.shownBy, Number(values.from), seeds);
        const [found] = tally.violations;
        const isKilled = found !== undefined || remainderOf(tally) > MOST_REMAINDER;
        if (!isKilled) survivors++;
        const by = found
          ? `seed ${found.seed}: ${found.what.slice(0, 80)}`
          : `remainder in ${tally.seedsWithRemainder} worlds`;
        say(`${isKilled ? 'found' : 'NOT FOUND'}: ${next.name} (${next.shownBy}, ${by})`);
      } finally {
        await sim.dispose();
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  say(`${MUTANTS.length - survivors} of ${MUTANTS.length} seeded bugs found`);
  return survivors === 0;
}

/** The part of the worlds in which a lock was left without a runner. */
function remainderOf(tally: Tally): number {
  return tally.seedsWithRemainder / tally.seeds;
}

/** The remainder by its letters. */
function kinds({ remainder }: Tally): Record<string, number> {
  const of = (letter: string) => Object.entries(remainder).find(([kind]) => kind.startsWith(letter))?.[1] ?? 0;
  return { 'remainder a': of('a'), b: of('b'), c: of('c') };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
