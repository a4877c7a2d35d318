import { warn } from '../observers/operator-log.js';
import type { Settings } from '../options/policy.js';
import { msOf } from '../values/date-of.js';

const told = new WeakSet<object>();

/**
 * Warns once of a tick that the schedule does not have: most likely the schedule or its time zone is wrong.
 *
 * @param once who is told once: a wrapper by its settings
 */
export function warnOfStrayTick(name: string, tickMs: number, schedule: Settings['schedule'], once: object): void {
  if (typeof schedule !== 'object' || told.has(once)) return;
  if (msOf(schedule.previous(new Date(tickMs))) === tickMs) return;
  told.add(once);
  warn(
    `lock "${name}": tick ${new Date(tickMs).toISOString()} is no tick of its schedule, ${schedule}: correct the schedule or its time zone, or set tick: 'nearest'`,
  );
}
