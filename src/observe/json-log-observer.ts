import { operatorLog } from '../core/observers/operator-log.js';
import type { Observer } from '../core/public/events.js';

/**
 * The log lines of the default observers, to keep them beside observers of your own: one line of JSON for each event
 * that an operator must see, at its level.
 */
export function jsonLogObserver(): Observer {
  return operatorLog;
}
