import { parseArgs } from 'node:util';
import { play } from './play.js';
import type { RegimeName, Stage } from './regime.js';
import { NO_BUG, SIM_BUGS } from './sim-bugs.js';
import { count, FEW, MOST_REMAINDER, noWorlds } from './tally.js';

/*
 * Plays worlds in a process of its own and says what came of them, as one line of JSON. Bundled by `simulate.ts`.
 */

/** Of a history, as much as a person reads. */
const LAST_LINES = 300;

const { values } = parseArgs({
  options: {
    stage: { type: 'string' },
    regime: { type: 'string' },
    from: { type: 'string' },
    seeds: { type: 'string' },
    'until-violation': { type: 'boolean' },
    bug: { type: 'string' },
  },
});
// Most errors of a world are never read.
Error.stackTraceLimit = 0;
const kind = { stage: values.stage as Stage, regime: values.regime as RegimeName };
const from = Number(values.from);
const breaks = [NO_BUG, ...SIM_BUGS].find(({ name }) => name === values.bug);

const mostRemainder = Math.max(FEW, MOST_REMAINDER * Number(values.seeds));

const tally = noWorlds(kind);
process.on('unhandledRejection', (error) => {
  tally.violations.push({ seed: from + tally.counts.seeds, what: `I10: unhandled rejection of ${String(error)}` });
});

for (let seed = from; seed < from + Number(values.seeds); seed++) {
  const found = await play(kind, seed, { breaks });
  count(tally, seed, found);
  const isShown = tally.violations.length > 0 || tally.seedsWithRemainder > mostRemainder;
  if (values['until-violation'] && isShown) break;
}
const [first] = tally.violations;
if (first && !values['until-violation']) {
  const history: string[] = [];
  await play(kind, first.seed, { tell: (line) => history.push(line) });
  tally.history = history.slice(-LAST_LINES);
}
process.stdout.write(`${JSON.stringify(tally)}\n`);
// Late messages of the last world may still be under way.
process.exit(0);
