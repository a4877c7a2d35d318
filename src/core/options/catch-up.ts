import { checkChoice, checkKnown, describe, namesOf } from '../values/checks.js';
import { type Duration, formatDuration, parseDuration } from '../values/duration.js';
import { type Interval, isTimed, type Schedule } from '../values/tick.js';

const LONGEST_MS = 30 * 86_400_000;
const MOST_TICKS = 1_000;

/** What a run does about older ticks that were missed, failed or crashed. */
export interface CatchUpOptions {
  /**
   * `none`: the run only reports ticks that were missed, in `missedTicks`. `all`: the handler runs for each older tick,
   * oldest first, then for the run's own tick. `latest`: the handler runs for the newest of the older ticks, then for
   * the run's own tick; other older ticks that were missed are given up.
   */
  readonly mode: 'none' | 'latest' | 'all';
  /**
   * How far back from the run's own tick to look for older ticks: at most 30 days. A number is milliseconds. Ticks before that do not run: `all`
   * gives them up, `latest` gives up only the ticks that were missed.
   *
   * @default '1d'
   */
  readonly within?: Duration;
  /** How many ticks a run catches up with at most, not counting its own: 1 to 1,000. @default 24 */
  readonly max?: number;
}

/** {@link CatchUpOptions}, valid and complete. */
export interface CatchUp {
  readonly mode: CatchUpOptions['mode'];
  readonly withinMs: number;
  readonly max: number;
}

const OPTIONS = namesOf<CatchUpOptions>({ mode: true, within: true, max: true });

/**
 * Reads the option `catchUp`.
 *
 * @throws TypeError, RangeError for invalid options
 */
export function readCatchUp(options: unknown = { mode: 'none' }): CatchUp {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`catchUp is ${describe(options)}: pass an object such as { mode: 'all' }`);
  }
  checkKnown(options, OPTIONS, 'catchUp');
  const { mode, within = '1d', max = 24 } = options as CatchUpOptions;
  checkChoice('catchUp.mode', mode, ['none', 'latest', 'all']);
  const withinMs = parseDuration(within, 'catchUp.within');
  if (withinMs === 0 || withinMs > LONGEST_MS) {
    throw new RangeError(`catchUp.within is ${formatDuration(withinMs)}: pass at most 30d`);
  }
  if (!Number.isInteger(max) || max < 1 || max > MOST_TICKS) {
    throw new RangeError(`catchUp.max is ${describe(max)}: pass a whole number from 1 to ${MOST_TICKS}`);
  }
  return { mode, withinMs, max };
}

/** @throws TypeError if catching up needs an option that is missing, or contradicts one */
export function checkCatchUp(
  { mode }: CatchUp,
  needs: { readonly tickMark: 'success' | 'start'; readonly schedule: Schedule | Interval | undefined },
): void {
  if (mode === 'none') return;
  // A schedule of the environment that cannot be read has no ticks, and must not keep a function from starting.
  if (!isTimed(needs.schedule) && needs.schedule?.everyMs !== Number.POSITIVE_INFINITY) {
    throw new TypeError(
      `catchUp.mode is '${mode}', but no schedule says when ticks were due: set schedule, such as cron('0 9 * * *') or rate('15m', { start })`,
    );
  }
  if (needs.tickMark === 'start') {
    throw new TypeError(
      `catchUp.mode is '${mode}', but tickMark is 'start', and a tick that has started never runs again: leave one of them out`,
    );
  }
}
