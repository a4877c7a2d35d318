import { warn } from '../core/observers/operator-log.js';
import { checkKnown, describe } from '../core/values/checks.js';
import { type Duration, formatDuration, parseDuration } from '../core/values/duration.js';
import { environmentVariable } from '../core/values/environment.js';
import type { Schedule } from '../core/values/tick.js';
import { eventBridge, readRate, SCHEDULE_VARIABLE, TIME_ZONE_VARIABLE } from './eventbridge.js';
import { rateInstants } from './instants.js';
import { floatingRate, instant, refuserOf, scheduleOf, withoutTicks } from './schedule-of.js';

export { type CronOptions, cron } from './cron.js';
export type { Dialect } from './crontab.js';
export { type Exclusions, except } from './except.js';
export type { ZoneOptions } from './time-zone.js';
export { eventBridge, type Schedule };

/** Options of `rate`. */
export interface RateOptions {
  /** The first tick, from which all other ticks are counted. @default none: the ticks have no fixed instants */
  readonly start?: Date;
}

/**
 * Makes the schedule of ticks at equal distances, such as `15 minutes`, `15m` or `PT15M`. Without `start` only the
 * distance is known, not when ticks are due: `next`, `previous` and `between` count from the given instant.
 *
 * @example
 * ```ts
 * import { rate } from 'single-execution/schedule';
 *
 * const quarters = rate('15m', { start: new Date('2026-01-01T00:00:00Z') });
 * quarters.next(new Date('2026-01-01T00:20:00Z')); // → 2026-01-01T00:30:00.000Z
 * ```
 *
 * @throws TypeError, RangeError for an invalid duration or start
 */
export function rate(duration: Duration, options: RateOptions = {}): Schedule {
  checkKnown(options, ['start'], 'rate');
  const everyMs = everyMsOf(duration);
  const text = `rate(${typeof duration === 'string' ? duration : formatDuration(duration)})`;
  if (options.start === undefined) return floatingRate(text, everyMs);
  const startMs = instant(options.start, 'start');
  return scheduleOf(`${text} from ${new Date(startMs).toISOString()}`, () => rateInstants(everyMs, startMs));
}

function everyMsOf(duration: Duration): number {
  if (typeof duration === 'string' && duration.includes(' ')) return readRate(duration, refuserOf(duration));
  const everyMs = parseDuration(duration, 'rate');
  if (everyMs === 0)
    throw new RangeError(`rate is ${describe(duration)}: pass the time between two ticks, 1 ms or more`);
  return everyMs;
}

/**
 * Reads the schedule that `SingleExecutionFunction` puts into the function's environment: `SINGLE_EXECUTION_SCHEDULE`,
 * an expression of EventBridge, and `SINGLE_EXECUTION_TIME_ZONE`, by default UTC. If they cannot be read, a warning is
 * logged and the schedule has no ticks: `catchUp` then does nothing, and `tick: 'nearest'` is refused.
 *
 * @example
 * ```ts
 * import { withSingleExecution } from 'single-execution';
 * import { dynamoDBStore } from 'single-execution/dynamodb';
 * import { scheduleFromEnvironment } from 'single-execution/schedule';
 *
 * export const handler = withSingleExecution(async () => 'sent', {
 *   name: 'send-digest',
 *   store: dynamoDBStore({ tableName: 'locks' }),
 *   schedule: scheduleFromEnvironment(),
 *   catchUp: { mode: 'all', within: '1d' },
 * });
 * ```
 *
 * @throws TypeError if the environment has no schedule
 */
export function scheduleFromEnvironment(): Schedule {
  const expression = environmentVariable(SCHEDULE_VARIABLE);
  if (!expression) {
    throw new TypeError(
      'SINGLE_EXECUTION_SCHEDULE is not set: SingleExecutionFunction sets it unless its schedules differ; elsewhere set it, such as to cron(0 2 * * ? *), or pass the schedule in code',
    );
  }
  const timeZone = environmentVariable(TIME_ZONE_VARIABLE);
  try {
    return eventBridge(expression, timeZone ? { timeZone } : {});
  } catch (error) {
    warn(
      `SINGLE_EXECUTION_SCHEDULE cannot be read, so no tick is missed or caught up with: ${(error as Error).message}`,
    );
    return withoutTicks(expression);
  }
}
