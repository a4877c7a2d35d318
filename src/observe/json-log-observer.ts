import { operatorLog } from '../core/observers/operator-log.js';
import type { Observer } from '../core/public/events.js';

/**
 * The log lines of the default observers, to keep them beside observers of your own: one line of JSON for each event
 * that an operator must see, at its level.
 *
 * @example
 * ```ts
 * import { executeWithLock } from 'single-execution';
 * import { memoryStore } from 'single-execution/memory';
 * import { jsonLogObserver } from 'single-execution/observe';
 *
 * const observers = [jsonLogObserver()];
 * await executeWithLock(() => 'done', { name: 'update', store: memoryStore(), lockAtMostFor: '1m', observers });
 * ```
 */
export function jsonLogObserver(): Observer {
  return operatorLog;
}
