import type { Level } from '../core/observers/event-words.js';
import { operatorLog, reportToOperator } from '../core/observers/operator-log.js';
import type { Observer } from '../core/public/events.js';
import { checkMethods } from '../core/values/checks.js';
import { unawaited } from '../core/values/promised.js';

export type { EmfMetric } from '../core/observers/emf-metrics.js';
export { type CheckInObserver, type CheckInOptions, checkInObserver } from './check-in-observer.js';
export { type EmfOptions, emfObserver } from './emf-observer.js';
export type { MeterLike, TracerLike } from './otel-api.js';
export { type OtelOptions, otelObserver } from './otel-observer.js';

/** The part of a logger that this library uses; Powertools' `Logger`, pino, winston and `console` have it. */
export type LoggerLike = { readonly [level in Level]: (...line: never[]) => unknown };

/**
 * Makes an observer that passes the lines of the default observer to a logger: one line for each event that an operator
 * must see, at the level of the event, with the event as `lockEvent`.
 *
 * @example
 * ```ts
 * import { Logger } from '@aws-lambda-powertools/logger';
 * import { loggerObserver } from 'single-execution/observe';
 *
 * export const observers = [loggerObserver(new Logger({ serviceName: 'jobs' }))];
 * ```
 *
 * @throws TypeError unless the logger has `info`, `warn` and `error`
 */
export function loggerObserver(logger: LoggerLike): Observer {
  checkMethods(
    'logger',
    logger,
    ['info', 'warn', 'error'],
    "pass a logger, such as Powertools' Logger, pino or console",
  );
  // pino takes the fields before the message. The other loggers take them after it.
  const isPino = typeof (logger as { readonly bindings?: unknown }).bindings === 'function';
  return (event) =>
    reportToOperator(event, (level, message, lockEvent) => {
      const fields = { source: 'single-execution', lockEvent };
      unawaited(logger[level](...((isPino ? [fields, message] : [message, fields]) as never[])));
    });
}

/**
 * Makes an observer that writes the log lines of the default observers, for use beside your own: one line of JSON for
 * each event that an operator must see, at the level of the event.
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
