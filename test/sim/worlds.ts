import { order } from '../support/told.js';
import { play } from './play.js';
import type { Kind } from './regime.js';
import { NO_BUG, SIM_BUGS } from './sim-bugs.js';
import { count, FEW, MOST_REMAINDER, noWorlds } from './tally.js';

/*
 * Plays worlds in a process of its own and prints the tally as one line of JSON. `sim.ts` bundles it.
 */

/** The number of lines of a history that is printed: as much as a person reads. */
const LAST_LINES = 300;

/** Which worlds to play. With the name of a bug, it stops at the first world that shows the bug. */
export interface WorldsOrder {
  readonly kind: Kind;
  readonly from: number;
  readonly seeds: number;
  readonly bug?: string;
}

const { kind, from, seeds, bug } = order<WorldsOrder>();
// Do not collect stack traces: most errors of a world are never read.
Error.stackTraceLimit = 0;
const breaks = [NO_BUG, ...SIM_BUGS].find(({ name }) => name === bug);

const mostRemainder = Math.max(FEW, MOST_REMAINDER * seeds);

const tally = noWorlds(kind);
process.on('unhandledRejection', (error) => {
  tally.violations.push({ seed: from + tally.counts.seeds, what: `I10: unhandled rejection of ${String(error)}` });
});

for (let seed = from; seed < from + seeds; seed++) {
  const found = await play(kind, seed, { breaks });
  count(tally, seed, found);
  const isShown = tally.violations.length > 0 || tally.seedsWithRemainder > mostRemainder;
  if (bug && isShown) break;
}
const [first] = tally.violations;
if (first && !bug) {
  const history: string[] = [];
  await play(kind, first.seed, { tell: (line) => history.push(line) });
  tally.history = history.slice(-LAST_LINES);
}
process.stdout.write(`${JSON.stringify(tally)}\n`);
// Do not wait for late messages of the last world.
process.exit(0);
