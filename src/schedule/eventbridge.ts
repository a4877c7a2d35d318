import type { Schedule } from '../core/values/tick.js';
import { readEventBridge } from './eventbridge-expression.js';
import { cronInstants, oneInstant } from './instants.js';
import { floatingRate } from './rate.js';
import { refuserOf, type ZoneOptions, zonedSchedule, zoneOf } from './time-zone.js';

/**
 * The schedule of an expression of EventBridge: `cron(0 9 ? * MON-FRI *)`, `rate(15 minutes)` or
 * `at(2026-01-01T02:00:00)`. EventBridge counts a rate from the creation of its schedule, which the expression does not
 * contain; use `rate(…, { start })` for that.
 *
 * @example
 * ```ts
 * import { eventBridge } from 'single-execution/schedule';
 *
 * const nightly = eventBridge('cron(0 2 * * ? *)');
 * nightly.previous(new Date('2026-01-01T12:00:00Z')); // → 2026-01-01T02:00:00.000Z
 * ```
 *
 * @throws RangeError for an expression that EventBridge would not take or that never fires, and for an unknown time
 *   zone
 */
export function eventBridge(expression: string, options: ZoneOptions = {}): Schedule {
  const refuse = refuserOf(expression);
  const zone = zoneOf(options, 'eventBridge');
  const read = readEventBridge(expression, refuse);
  if (read.kind === 'rate') return floatingRate(expression, read.everyMs);
  const instants = read.kind === 'cron' ? cronInstants(read.cron, zone) : oneInstant(read.wallMs, zone);
  return zonedSchedule(expression, instants, zone, refuse);
}
