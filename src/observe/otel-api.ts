/*
 * The part of OpenTelemetry's API that is used here, so that nothing has to be imported: the API of version 1 keeps what
 * a program has registered under one symbol, for all its versions and copies.
 */

type Attributes = Record<string, string | number>;

export interface SpanContext {
  traceId: string;
  spanId: string;
  traceFlags: number;
}

export interface SpanLike {
  spanContext(): SpanContext;
  /** Since version 1.9 of the API. */
  addLink?(link: { context: SpanContext }): unknown;
  setAttributes(attributes: Attributes): unknown;
  addEvent(name: string, attributes: Attributes, at: Date): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(at: Date): void;
}

/** A `Tracer` of @opentelemetry/api. */
export interface TracerLike {
  startSpan(name: string, options: { startTime: Date }): SpanLike;
}

interface InstrumentOptions {
  description: string;
  unit: string;
}

/** A `Meter` of @opentelemetry/api. */
export interface MeterLike {
  createCounter(name: string, options: InstrumentOptions): { add(value: number, attributes: Attributes): void };
  createHistogram(name: string, options: InstrumentOptions): { record(value: number, attributes: Attributes): void };
}

interface Registered {
  readonly trace?: { getTracer(name: string): TracerLike };
  readonly metrics?: { getMeter(name: string): MeterLike };
}

const API: unique symbol = Symbol.for('opentelemetry.js.api.1');
const SCOPE = 'single-execution';

const registered = () => (globalThis as { [API]?: Registered })[API];

/** The tracer of the program; undefined as long as it has registered none. */
export const globalTracer = (): TracerLike | undefined => registered()?.trace?.getTracer(SCOPE);

/** The meter of the program; undefined as long as it has registered none. */
export const globalMeter = (): MeterLike | undefined => registered()?.metrics?.getMeter(SCOPE);
