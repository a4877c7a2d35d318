import { type ByType, byType, isForOperators } from '../core/observers/event-words.js';
import { LockStoreError } from '../core/public/errors.js';
import type { LockEvent, Observer, TracingObserver } from '../core/public/events.js';
import { checkKnown, checkMethods, namesOf } from '../core/values/checks.js';
import { defined } from '../core/values/defined.js';
import { atOnce, unawaited } from '../core/values/promised.js';
import { errorName } from '../core/values/thrown.js';
import {
  globalMeter,
  globalTracer,
  type MeterLike,
  type SpanContext,
  type SpanLike,
  type TracerLike,
} from './otel-api.js';

/** Options of `otelObserver`. */
export interface OtelOptions {
  /** A tracer of @opentelemetry/api. @default the program's tracer with the name single-execution */
  readonly tracer?: TracerLike;
  /** A meter of @opentelemetry/api. @default the program's meter with the name single-execution */
  readonly meter?: MeterLike;
}

/**
 * Makes an observer for OpenTelemetry. It writes metrics, and a span for each run and each skip. The span of a skip
 * links to the span of the run that holds the lock. The observer does nothing until the program registers a tracer or a
 * meter.
 *
 * @example
 * ```ts
 * import { trace } from '@opentelemetry/api';
 * import { otelObserver } from 'single-execution/observe';
 *
 * export const observers = [otelObserver({ tracer: trace.getTracer('jobs') })];
 * ```
 *
 * @throws TypeError for an unknown option, and for a tracer or a meter without the functions of OpenTelemetry
 */
export function otelObserver(options: OtelOptions = {}): TracingObserver {
  checkKnown(options, namesOf<OtelOptions>({ tracer: true, meter: true }));
  const { tracer, meter } = options;
  if (tracer !== undefined)
    checkMethods('tracer', tracer, ['startSpan'], "pass trace.getTracer('jobs'), or leave it out");
  if (meter !== undefined) {
    const methods = ['createCounter', 'createHistogram'];
    checkMethods('meter', meter, methods, "pass metrics.getMeter('jobs'), or leave it out");
  }
  const spans = spanObserver(() => tracer ?? globalTracer());
  const metrics = metricsObserver(() => meter ?? globalMeter());
  const observer = (event: LockEvent) => {
    try {
      spans(event);
    } finally {
      // The metrics are written even if the tracer fails.
      metrics(event);
    }
  };
  return Object.assign(observer, { beginTrace: spans.beginTrace });
}

/** Every instrument, with its description and unit. An instrument in seconds is a histogram; others are counters. */
const INSTRUMENTS = {
  attempts: ['Calls that asked for the lock', '{attempt}'],
  succeeded: ['Runs that succeeded', '{run}'],
  failed: ['Runs whose task failed', '{run}'],
  skipped: ['Calls that did not run', '{call}'],
  missed: ['Ticks that were due and had no run', '{tick}'],
  caught_up: ['Ticks that a later run has caught up with', '{tick}'],
  given_up: ['Ticks that were given up', '{tick}'],
  recovered: ['Runs that followed a crashed one', '{run}'],
  lost: ['Runs that lost their lock', '{run}'],
  store_failures: ['Requests to the store that failed', '{request}'],
  'run.duration': ['How long the task ran', 's'],
  'lock.hold_time': ['How long the lock was held', 's'],
} as const;

type Instrument = keyof typeof INSTRUMENTS;
type Attributes = Record<string, string>;
type Measured = readonly [Instrument, value: number, more?: Attributes];
type Write = (value: number, attributes: Attributes) => void;

/** Makes an observer that writes the metrics of each event. */
function metricsObserver(findMeter: () => MeterLike | undefined): Observer {
  let writers: Record<string, Write> | undefined;
  return (event) => {
    const meter = writers ? undefined : findMeter();
    if (meter) writers = writersOf(meter);
    for (const [instrument, value, more] of byType(MEASURED, event) ?? []) {
      writers?.[instrument]?.(value, { 'single_execution.lock.name': event.name, ...more });
    }
  };
}

const ticksIn = ({ ticks, others }: { readonly ticks: readonly Date[]; readonly others: number }): number =>
  ticks.length + others;

/** The values that each event adds to the metrics. The types of events listed first add no values. */
const MEASURED: ByType<
  'acquired' | 'started' | 'extended' | 'clock-skew' | 'clock-unverified' | 'tick-unreadable',
  readonly Measured[]
> = {
  attempted: () => [['attempts', 1]],
  finished: (event) => [['succeeded', 1], durationOf(event, 'succeeded')],
  failed: (event) => [['failed', 1], durationOf(event, 'failed')],
  skipped: ({ reason }) => [['skipped', 1, { 'single_execution.skip.reason': reason }]],
  missed: (event) => [['missed', ticksIn(event)]],
  'given-up': (event) => [['given_up', ticksIn(event)]],
  'caught-up': ({ status }) => (status === 'succeeded' ? [['caught_up', 1]] : []),
  recovered: () => [['recovered', 1]],
  lost: () => [['lost', 1]],
  released: ({ heldMs }) => [['lock.hold_time', heldMs / 1_000]],
  'acquire-failed': storeFailure,
  'extend-failed': storeFailure,
  'release-failed': storeFailure,
};

function storeFailure({ type }: LockEvent): Measured[] {
  return [['store_failures', 1, { 'single_execution.operation': type.replace('-failed', '') }]];
}

function durationOf({ durationMs }: { readonly durationMs: number }, outcome: string): Measured {
  return ['run.duration', durationMs / 1_000, { 'single_execution.outcome': outcome }];
}

function writersOf(meter: MeterLike): Record<string, Write> {
  const writers = Object.entries(INSTRUMENTS).map(([instrument, [description, unit]]): [string, Write] => {
    const name = `single_execution.${instrument}`;
    if (unit === 's') {
      const histogram = atOnce(meter.createHistogram(name, { description, unit }), 'createHistogram');
      return [instrument, (value, attributes) => unawaited(histogram.record(value, attributes))];
    }
    const counter = atOnce(meter.createCounter(name, { description, unit }), 'createCounter');
    return [instrument, (value, attributes) => unawaited(counter.add(value, attributes))];
  });
  return Object.fromEntries(writers);
}

type EventType = LockEvent['type'];

/** `SpanStatusCode.ERROR` of OpenTelemetry. */
const ERROR = 2;
const NAME = 'single-execution run';

const BEGINNINGS: readonly EventType[] = ['acquired', 'started', 'skipped', 'acquire-failed'];
/** Makes an observer that writes one span for each call, whether it runs, is skipped, or fails to reach the store. */
function spanObserver(findTracer: () => TracerLike | undefined): TracingObserver {
  /**
   * The spans that have not ended. The key is the trace at the end of the attempt id, or the whole id without a trace.
   */
  const open = new Map<string | undefined, SpanLike>();
  const start = (at: Date) => {
    const span = findTracer()?.startSpan(NAME, { startTime: at });
    return span && atOnce(span, 'startSpan');
  };

  const observer = (event: LockEvent) => {
    const { type, at } = event;
    const key = traceIn(event.attemptId) ?? event.attemptId;
    // The next try has another attempt id: without a trace that try could not find a span begun here.
    const isRetried = type === 'acquire-failed' && event.next === 'wait';
    const span = open.get(key) ?? (BEGINNINGS.includes(type) && !isRetried ? start(at) : undefined);
    if (!span) return;
    open.set(key, span);
    if (BEGINNINGS.includes(type)) unawaited(span.setAttributes(headOf(event)));
    const outcome = outcomeOf(event);
    if (outcome === undefined && isForOperators(event)) {
      unawaited(span.addEvent(`single_execution.${type.replace('-', '_')}`, factsOf(event), at));
    }
    const context = type === 'skipped' ? contextOf(event.holderTrace) : undefined;
    if (context) unawaited(span.addLink?.({ context }));
    if (outcome === undefined) return;
    unawaited(span.setAttributes({ 'single_execution.outcome': outcome, ...factsOf(event) }));
    if ('error' in event) {
      unawaited(span.setStatus({ code: ERROR, ...defined({ message: messageOf(event.error) }) }));
    }
    unawaited(span.end(at));
    open.delete(key);
  };

  return Object.assign(observer, {
    beginTrace(nowMs: number) {
      try {
        const span = start(new Date(nowMs));
        const trace = span && traceOf(atOnce(span.spanContext(), 'spanContext'));
        if (!span || trace === undefined) return '';
        open.set(trace, span);
        return `.${trace}`;
      } catch {
        // A tracer that fails must not stop the run.
        return '';
      }
    },
  });
}

/**
 * Returns how a call ended, if this event ends the call: `succeeded`, `failed`, `skipped` or `error`. Returns undefined
 * while the call goes on.
 */
function outcomeOf(event: LockEvent): string | undefined {
  switch (event.type) {
    case 'finished':
      return 'succeeded';
    case 'failed':
    case 'skipped':
      return event.type;
    case 'acquire-failed':
      return event.next === 'throw' ? 'error' : undefined;
    default:
      return undefined;
  }
}

const traceIn = (attemptId: string | undefined) => attemptId?.split('.')[1];

/** Makes the attributes of a span at its start. A run that has a tick was called by a schedule. */
function headOf(event: LockEvent) {
  const tick = event.tick?.toISOString();
  return {
    'single_execution.lock.name': event.name,
    ...defined({
      'single_execution.attempt_id': event.attemptId,
      'single_execution.fencing_token': 'fencingToken' in event ? event.fencingToken : undefined,
      'single_execution.tick': tick,
      'single_execution.is_manual': event.isManual,
      'faas.trigger': tick && 'timer',
      'faas.time': tick,
    }),
  };
}

function factsOf(event: LockEvent) {
  return defined({
    'error.type': 'error' in event ? errorName(event.error) : undefined,
    'single_execution.skip.reason': event.type === 'skipped' ? event.reason : undefined,
    'single_execution.holder': event.type === 'skipped' ? event.holder?.lockedBy : undefined,
    'single_execution.holder.fencing_token': event.type === 'skipped' ? event.holder?.fencingToken : undefined,
    'single_execution.release': 'release' in event ? event.release : undefined,
    'single_execution.ticks': 'ticks' in event ? ticksIn(event) : undefined,
    'single_execution.tick': event.type === 'caught-up' ? event.tick.toISOString() : undefined,
    'single_execution.status': event.type === 'caught-up' ? event.status : undefined,
    'single_execution.previous.holder': event.type === 'recovered' ? event.previous.lockedBy : undefined,
    'single_execution.previous.fencing_token': event.type === 'recovered' ? event.previous.fencingToken : undefined,
  });
}

/**
 * Returns the message of an error of this library, which contains no secret. Leaves out the messages of other errors,
 * because they may contain a secret.
 */
function messageOf(error: unknown): string | undefined {
  return error instanceof LockStoreError ? error.message : undefined;
}

const IDS = /^([0-9a-f]{32})([0-9a-f]{16})$/;
const NO_TRACE = /^0+$/;

/**
 * Writes the two ids of a span in 32 characters of base64url; undefined if the ids are invalid or the trace id is all
 * zeros.
 */
function traceOf({ traceId, spanId }: SpanContext): string | undefined {
  const ids = traceId + spanId;
  if (!IDS.test(ids) || NO_TRACE.test(traceId)) return undefined;
  const bytes = ids.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_');
}

/** Reads the identity of another process's span from the trace in an attempt id; undefined if the text is not a trace. */
function contextOf(trace: string | undefined): SpanContext | undefined {
  if (trace === undefined || !/^[\w-]{32}$/.test(trace)) return undefined;
  const bytes = [...atob(trace.replaceAll('-', '+').replaceAll('_', '/'))];
  const hex = bytes.map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  const [, traceId = '', spanId = ''] = IDS.exec(hex) ?? [];
  return { traceId, spanId, traceFlags: 1 };
}
