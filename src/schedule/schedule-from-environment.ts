import { environmentVariable } from '../core/values/environment.js';
import type { Schedule } from '../core/values/tick.js';
import { eventBridge } from './eventbridge.js';

export const SCHEDULE_VARIABLE = 'SINGLE_EXECUTION_SCHEDULE';
export const TIME_ZONE_VARIABLE = 'SINGLE_EXECUTION_TIME_ZONE';

/**
 * The schedule that `SingleExecutionFunction` puts into the function's environment: `SINGLE_EXECUTION_SCHEDULE`, an
 * expression of EventBridge, and `SINGLE_EXECUTION_TIME_ZONE`, by default UTC.
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
 * @throws TypeError if the environment has no schedule; RangeError for an invalid one
 */
export function scheduleFromEnvironment(): Schedule {
  const expression = environmentVariable(SCHEDULE_VARIABLE);
  if (!expression) {
    throw new TypeError(
      'SINGLE_EXECUTION_SCHEDULE is not set: SingleExecutionFunction sets it unless its schedules differ; elsewhere set it, such as to cron(0 2 * * ? *), or give the schedule in code',
    );
  }
  const timeZone = environmentVariable(TIME_ZONE_VARIABLE);
  return eventBridge(expression, timeZone ? { timeZone } : {});
}
