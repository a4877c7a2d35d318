import { environmentVariable } from '../core/values/environment.js';
import type { Schedule } from '../core/values/schedule.js';
import { eventBridge } from './eventbridge.js';

/**
 * The schedule that `SingleExecutionFunction` has put into the function's environment: `SINGLE_EXECUTION_SCHEDULE`, an
 * expression of EventBridge, and `SINGLE_EXECUTION_TIME_ZONE`, UTC where that is not set.
 *
 * @throws TypeError when the environment has no schedule; RangeError for one that cannot be
 */
export function scheduleFromEnvironment(): Schedule {
  const expression = environmentVariable('SINGLE_EXECUTION_SCHEDULE');
  if (!expression) {
    throw new TypeError(
      'SINGLE_EXECUTION_SCHEDULE is not set: SingleExecutionFunction sets it unless its schedules differ; elsewhere set it, such as to cron(0 2 * * ? *), or give the schedule in code',
    );
  }
  const timeZone = environmentVariable('SINGLE_EXECUTION_TIME_ZONE');
  return eventBridge(expression, timeZone ? { timeZone } : {});
}
