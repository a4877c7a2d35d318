import type { Observer } from '../core/events.js';
import { operatorLog } from '../core/operator-log.js';

/**
 * The observer that runs by default, to keep its lines beside others: one JSON line on stderr for what an operator must
 * see.
 */
export function jsonLogObserver(): Observer {
  return operatorLog;
}
