import { Logger } from '@aws-lambda-powertools/logger';
import { metrics, trace } from '@opentelemetry/api';
import { pino } from 'pino';
import type { Observer } from 'single-execution';
import { checkInObserver, loggerObserver, otelObserver } from 'single-execution/observe';
import { expectTypeOf, test } from 'vitest';

test('row 104: a tracer and a meter of OpenTelemetry fit', () => {
  const options = { tracer: trace.getTracer('jobs'), meter: metrics.getMeter('jobs') };
  expectTypeOf(otelObserver(options)).toExtend<Observer>();
});

test('row 104: the loggers of Powertools and of pino fit, and the console', () => {
  for (const logger of [new Logger(), pino(), console]) expectTypeOf(loggerObserver(logger)).toExtend<Observer>();
  // @ts-expect-error a logger has three levels
  loggerObserver({ info() {} });
});

test('row 105: a check-in is an observer', () => {
  expectTypeOf(checkInObserver({ url: 'https://example.com' })).toExtend<Observer>();
});
