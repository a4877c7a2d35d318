import { SCHEDULE_VARIABLE, TIME_ZONE_VARIABLE } from '../../src/schedule/eventbridge.js';
import type { LockSchedule } from './lock-schedule.js';
import { isUtc } from './run-gaps.js';

/** Makes the environment variables that give a handler its schedule; none if the function has schedules that differ. */
export function scheduleVariables(schedules: readonly Pick<LockSchedule, 'schedule'>[]): Record<string, string> {
  const variables = schedules.map(({ schedule }): Record<string, string> => {
    const zone = isUtc(schedule) ? undefined : schedule.timeZone?.timezoneName;
    return { [SCHEDULE_VARIABLE]: schedule.expressionString, ...(zone && { [TIME_ZONE_VARIABLE]: zone }) };
  });
  const [first = {}, ...others] = variables;
  return others.every((other) => JSON.stringify(other) === JSON.stringify(first)) ? first : {};
}
