import { errorName, LockStoreError } from '../core/public/errors.js';
import type { LockEvent, TracingObserver } from '../core/public/events.js';
import { defined } from '../core/values/defined.js';
import type { SpanLike, TracerLike } from './otel-api.js';
import { contextOf, traceOf } from './span-trace.js';

type EventType = LockEvent['type'];

/** SpanStatusCode.ERROR. */
const ERROR = 2;
const NAME = 'single-execution run';

const BEGINNINGS: readonly EventType[] = ['acquired', 'started', 'skipped', 'acquire-failed'];
const OUTCOMES: { readonly [type in EventType]?: string } = {
  finished: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
  'acquire-failed': 'error',
};
/** What happens in a span; the rest is told by the span itself. */
const NOTED: readonly EventType[] = [
  'recovered',
  'missed',
  'lost',
  'caught-up',
  'given-up',
  'extend-failed',
  'release-failed',
  'clock-unverified',
];

/** Makes a span of each run, and of each call that is skipped or finds the store out of reach. */
export function spanObserver(findTracer: () => TracerLike | undefined): TracingObserver {
  /** By the trace that an attempt id ends in, else by the whole id. */
  const open = new Map<string | undefined, SpanLike>();
  const start = (at: Date) => findTracer()?.startSpan(NAME, { startTime: at });

  const observer = (event: LockEvent) => {
    const { type, at } = event;
    const key = traceIn(event.attemptId) ?? event.attemptId;
    const span = open.get(key) ?? (BEGINNINGS.includes(type) ? start(at) : undefined);
    if (!span) return;
    open.set(key, span);
    if (BEGINNINGS.includes(type)) span.setAttributes(headOf(event));
    if (NOTED.includes(type)) span.addEvent(`single_execution.${type.replace('-', '_')}`, factsOf(event), at);
    const context = type === 'skipped' ? contextOf(event.holderTrace) : undefined;
    if (context) span.addLink?.({ context });
    const outcome = OUTCOMES[type];
    if (outcome === undefined) return;
    span.setAttributes({ 'single_execution.outcome': outcome, ...factsOf(event) });
    if ('error' in event) span.setStatus({ code: ERROR, ...defined({ message: messageOf(event.error) }) });
    span.end(at);
    open.delete(key);
  };

  return Object.assign(observer, {
    beginTrace(nowMs: number) {
      try {
        const span = start(new Date(nowMs));
        const trace = span && traceOf(span.spanContext());
        if (!span || trace === undefined) return '';
        open.set(trace, span);
        return `.${trace}`;
      } catch {
        // A tracer's failure is its own; the run goes on.
        return '';
      }
    },
  });
}

const traceIn = (attemptId: string | undefined) => attemptId?.split('.')[1];

/** What is known of a run when it begins. A run that has a tick was called by a schedule. */
function headOf(event: LockEvent) {
  const tick = event.tick?.toISOString();
  return {
    'single_execution.lock.name': event.name,
    ...defined({
      'single_execution.attempt_id': event.attemptId,
      'single_execution.fencing_token': 'fencingToken' in event ? event.fencingToken : undefined,
      'single_execution.tick': tick,
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
    'single_execution.ticks': 'ticks' in event ? event.ticks.length : undefined,
    'single_execution.tick': event.type === 'caught-up' ? event.tick.toISOString() : undefined,
    'single_execution.status': event.type === 'caught-up' ? event.status : undefined,
    'single_execution.previous.holder': event.type === 'recovered' ? event.previous.lockedBy : undefined,
    'single_execution.previous.fencing_token': event.type === 'recovered' ? event.previous.fencingToken : undefined,
  });
}

/** The library's own messages hold no secret; those of a task may. */
function messageOf(error: unknown): string | undefined {
  return error instanceof LockStoreError ? error.message : undefined;
}
