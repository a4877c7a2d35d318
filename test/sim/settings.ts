import { oneOf, readFlags, SWITCH, TEXT, UsageError, whole } from '../support/play/command.js';
import { type Kind, REGIMES, type RegimeName, STAGES, type Stage } from './regime.js';

export interface SimSettings {
  /** The number of worlds in all; with `bugs`, the number of worlds for each bug. */
  readonly seeds: number;
  readonly from: number;
  readonly kinds: readonly Kind[];
  readonly bugs: boolean;
}

const SEEDS = 4_000;
const SEEDS_A_BUG = 1_000;
const MOST_SEEDS = 1_000_000_000;
const LAST_SEED = 4_294_967_295;

/** @throws UsageError */
export function readSimSettings(args: readonly string[]): SimSettings {
  const values = readFlags(args, { seeds: TEXT, from: TEXT, stage: TEXT, regime: TEXT, bugs: SWITCH });
  const bugs = values.bugs ?? false;
  return {
    seeds: whole('--seeds', values.seeds, 1, MOST_SEEDS) ?? (bugs ? SEEDS_A_BUG : SEEDS),
    from: whole('--from', values.from, 0, LAST_SEED) ?? 1,
    kinds: kindsOf(
      oneOf('--stage', values.stage, Object.keys(STAGES) as Stage[]),
      oneOf('--regime', values.regime, Object.keys(REGIMES) as RegimeName[]),
    ),
    bugs,
  };
}

function kindsOf(stage: Stage | undefined, regime: RegimeName | undefined): readonly Kind[] {
  const stages = stage ? [stage] : (Object.keys(STAGES) as Stage[]);
  const kinds = stages
    .flatMap((one) => STAGES[one].map((under) => ({ stage: one, regime: under })))
    .filter((kind) => !regime || kind.regime === regime);
  if (kinds.length === 0) throw new UsageError(`--stage ${stage} is not played under --regime ${regime}`);
  return kinds;
}
