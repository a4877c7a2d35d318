import type { LockEvent, TracingObserver } from '../core/public/events.js';
import { checkKnown, checkMethods, namesOf } from '../core/values/option-checks.js';
import { globalMeter, globalTracer, type MeterLike, type TracerLike } from './otel-api.js';
import { metricsObserver } from './otel-metrics.js';
import { spanObserver } from './otel-spans.js';

/** Options of `otelObserver`. */
export interface OtelOptions {
  /** A tracer of @opentelemetry/api. @default that of the program, named single-execution */
  readonly tracer?: TracerLike;
  /** A meter of @opentelemetry/api. @default that of the program, named single-execution */
  readonly meter?: MeterLike;
}

/**
 * Makes an observer for OpenTelemetry: a span of each run and of each skip, which links to the span of the run that
 * holds the lock, and metrics. It writes nothing as long as the program has registered neither.
 *
 * @example
 * ```ts
 * import { trace } from '@opentelemetry/api';
 * import { otelObserver } from 'single-execution/observe';
 *
 * export const observers = [otelObserver({ tracer: trace.getTracer('jobs') })];
 * ```
 *
 * @throws TypeError for an unknown option, and for a tracer or a meter without the functions of OpenTelemetry's
 */
export function otelObserver(options: OtelOptions = {}): TracingObserver {
  checkKnown(options, namesOf<OtelOptions>({ tracer: true, meter: true }));
  const { tracer, meter } = options;
  if (tracer !== undefined)
    checkMethods('tracer', tracer, ['startSpan'], "give trace.getTracer('jobs'), or leave it out");
  if (meter !== undefined) {
    const methods = ['createCounter', 'createHistogram'];
    checkMethods('meter', meter, methods, "give metrics.getMeter('jobs'), or leave it out");
  }
  const spans = spanObserver(() => tracer ?? globalTracer());
  const metrics = metricsObserver(() => meter ?? globalMeter());
  const observer = (event: LockEvent) => {
    try {
      spans(event);
    } finally {
      // A tracer that fails takes no metrics with it.
      metrics(event);
    }
  };
  return Object.assign(observer, { beginTrace: spans.beginTrace });
}
