/*
 * The part of OpenTelemetry's API that this library uses. Nothing has to be imported: version 1 of the API keeps what a
 * program registers under one symbol, for all minor versions and copies of the API.
 */

/** Attributes of a span or a measurement. */
type Attributes = Record<string, string | number | boolean>;

/** The identity of a span. */
export interface SpanContext {
  /** The trace: 32 hexadecimal digits. */
  traceId: string;
  /** The span: 16 hexadecimal digits. */
  spanId: string;
  /** 1 if the span is sampled. */
  traceFlags: number;
}

/** A `Span` of @opentelemetry/api. */
export interface SpanLike {
  /** Returns the identity of this span. */
  spanContext(): SpanContext;
  /** Adds a link to another span. Exists since version 1.9 of the API. */
  addLink?(link: {
    /** The identity of the span to link to. */
    context: SpanContext;
  }): unknown;
  /** Adds attributes to the span. */
  setAttributes(attributes: Attributes): unknown;
  /** Adds an event to the span. */
  addEvent(name: string, attributes: Attributes, at: Date): unknown;
  /** Sets the status of the span. */
  setStatus(status: {
    /** The code of the status: 2 is an error. */
    code: number;
    /** The message of the error. */
    message?: string;
  }): unknown;
  /** Ends the span. */
  end(at: Date): void;
}

/** A `Tracer` of @opentelemetry/api. */
export interface TracerLike {
  /** Begins a span. */
  startSpan(
    name: string,
    options: {
      /** When the span began. */
      startTime: Date;
    },
  ): SpanLike;
}

/** The description of an instrument. */
interface InstrumentOptions {
  /** The thing that the instrument counts or measures. */
  description: string;
  /** The unit of its values, in UCUM. */
  unit: string;
}

/** A `Meter` of @opentelemetry/api. */
export interface MeterLike {
  /** Makes an instrument that counts. */
  createCounter(
    name: string,
    options: InstrumentOptions,
  ): {
    /** Adds a value to the count. */
    add(value: number, attributes: Attributes): void;
  };
  /** Makes an instrument that measures. */
  createHistogram(
    name: string,
    options: InstrumentOptions,
  ): {
    /** Records a measurement. */
    record(value: number, attributes: Attributes): void;
  };
}

interface Registered {
  readonly trace?: { getTracer(name: string): TracerLike };
  readonly metrics?: { getMeter(name: string): MeterLike };
}

const API: unique symbol = Symbol.for('opentelemetry.js.api.1');
const SCOPE = 'single-execution';

const registered = () => (globalThis as { [API]?: Registered })[API];

/** Returns the tracer of the program; undefined until the program registers a tracer. */
export const globalTracer = (): TracerLike | undefined => registered()?.trace?.getTracer(SCOPE);

/** Returns the meter of the program; undefined until the program registers a meter. */
export const globalMeter = (): MeterLike | undefined => registered()?.metrics?.getMeter(SCOPE);
