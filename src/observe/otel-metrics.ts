import type { LockEvent, Observer } from '../core/public/events.js';
import type { MeterLike } from './otel-api.js';

/** Every instrument: what it counts or measures, and its unit. Those in seconds are histograms, the others counters. */
const INSTRUMENTS = {
  attempts: ['Calls that asked for the lock', '{attempt}'],
  succeeded: ['Runs that succeeded', '{run}'],
  failed: ['Runs whose task failed', '{run}'],
  skipped: ['Calls that did not run', '{call}'],
  missed: ['Ticks that should have come and did not', '{tick}'],
  caught_up: ['Ticks that a later run has caught up with', '{tick}'],
  given_up: ['Ticks that are not caught up with any more', '{tick}'],
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

/** Counts and measures each run. */
export function metricsObserver(findMeter: () => MeterLike | undefined): Observer {
  let writers: Record<string, Write> | undefined;
  return (event) => {
    const meter = writers ? undefined : findMeter();
    if (meter) writers = writersOf(meter);
    for (const [instrument, value, more] of measured(event)) {
      writers?.[instrument]?.(value, { 'single_execution.lock.name': event.name, ...more });
    }
  };
}

function measured(event: LockEvent): Measured[] {
  switch (event.type) {
    case 'attempted':
      return [['attempts', 1]];
    case 'finished':
      return [['succeeded', 1], durationOf(event, 'succeeded')];
    case 'failed':
      return [['failed', 1], durationOf(event, 'failed')];
    case 'skipped':
      return [['skipped', 1, { 'single_execution.skip.reason': event.reason }]];
    case 'missed':
      return [['missed', event.ticks.length + event.others]];
    case 'given-up':
      return [['given_up', event.ticks.length + event.others]];
    case 'caught-up':
      return event.status === 'succeeded' ? [['caught_up', 1]] : [];
    case 'recovered':
    case 'lost':
      return [[event.type, 1]];
    case 'released':
      return [['lock.hold_time', event.heldMs / 1_000]];
    case 'acquire-failed':
    case 'extend-failed':
    case 'release-failed':
      return [['store_failures', 1, { 'single_execution.operation': event.type.replace('-failed', '') }]];
    default:
      return [];
  }
}

function durationOf({ durationMs }: { readonly durationMs: number }, outcome: string): Measured {
  return ['run.duration', durationMs / 1_000, { 'single_execution.outcome': outcome }];
}

function writersOf(meter: MeterLike): Record<string, Write> {
  const writers = Object.entries(INSTRUMENTS).map(([instrument, [description, unit]]): [string, Write] => {
    const name = `single_execution.${instrument}`;
    if (unit === 's') {
      const histogram = meter.createHistogram(name, { description, unit });
      return [instrument, (value, attributes) => histogram.record(value, attributes)];
    }
    const counter = meter.createCounter(name, { description, unit });
    return [instrument, (value, attributes) => counter.add(value, attributes)];
  });
  return Object.fromEntries(writers);
}
