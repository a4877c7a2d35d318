import { oneOf, readFlags, SWITCH, seedOf, TEXT, whole } from '../test/support/play/command.js';

const ENGINES = ['dynamodb-local', 'dynalite', 'auto'] as const;

/** How the evening is to be played. */
export type Settings = ReturnType<typeof readSettings>;

export const USAGE = `Usage: npm run demo -- [options]

First sends the same deliveries to a bare and to a wrapped handler, and counts the double
runs. Then plays an evening of a small fleet: worker processes run three jobs on ticks that
come on time, twice, late, while a run is in progress and after a crash, over a real lock
table and a network that loses answers. Then checks what has happened.

  --seconds N   real time to play, 20 to 600 (default 30); what has begun is ended
  --seed N      the same seed plays the same situations in the same order (default: a new one)
  --engine E    dynamodb-local (needs Java 17), dynalite, or auto (default)
  --html FILE   write the console's page of the evening, to be opened in a browser
  --help        this text

Exit code: 0 when every invariant held, 1 when one broke, 2 for a wrong option.`;

/** @throws UsageError */
export function readSettings(args: readonly string[]) {
  const values = readFlags(args, { seed: TEXT, seconds: TEXT, engine: TEXT, html: TEXT, help: SWITCH });
  return {
    seed: seedOf(values.seed),
    seconds: whole('--seconds', values.seconds, 20, 600) ?? 30,
    engine: oneOf('--engine', values.engine, ENGINES) ?? 'auto',
    html: values.html,
    help: values.help ?? false,
  };
}
