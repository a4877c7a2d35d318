export type { EmfMetric } from '../core/observers/emf-metrics.js';
export { type CheckInObserver, type CheckInOptions, checkInObserver } from './check-in-observer.js';
export { type EmfOptions, emfObserver } from './emf-observer.js';
export { jsonLogObserver, type LoggerLike, loggerObserver } from './logger-observer.js';
export type { MeterLike, TracerLike } from './otel-api.js';
export { type OtelOptions, otelObserver } from './otel-observer.js';
