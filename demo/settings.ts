import { randomInt } from 'node:crypto';
import { readFlags, SWITCH, TEXT, UsageError, whole } from '../test/support/play/command.js';

/** How the evening is to be played. */
export interface Settings {
  readonly seed: number;
  readonly seconds: number;
  readonly engine: 'auto' | 'dynamodb-local' | 'dynalite';
  readonly help: boolean;
}

export const USAGE = `Usage: npm run demo -- [options]

Plays an evening of a small fleet: worker processes run the functions of handlers/ on
ticks that come on time, twice, late, while a run is in progress and after a crash, over
a real lock table and a network that loses answers. Then checks what has happened.

  --seconds N   real time to play, 20 to 600 (default 30); what has begun is ended
  --seed N      the same seed plays the same situations in the same order (default: a new one)
  --engine E    dynamodb-local (needs Java 17), dynalite, or auto (default)
  --help        this text

Exit code: 0 when every invariant held, 1 when one broke, 2 for a wrong option.`;

/** @throws UsageError */
export function readSettings(args: readonly string[]): Settings {
  const values = readFlags(args, { seed: TEXT, seconds: TEXT, engine: TEXT, help: SWITCH });
  const engine = values.engine ?? 'auto';
  if (engine !== 'auto' && engine !== 'dynamodb-local' && engine !== 'dynalite') {
    throw new UsageError(`--engine is '${engine}': give dynamodb-local, dynalite or auto`);
  }
  return {
    seed: whole('--seed', values.seed, 0, 4_294_967_295) ?? randomInt(1, 100_000),
    seconds: whole('--seconds', values.seconds, 20, 600) ?? 30,
    engine,
    help: values.help ?? false,
  };
}
