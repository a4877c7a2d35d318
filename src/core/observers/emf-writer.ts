import { errorName } from '../public/errors.js';
import type { LockEvent, Observer } from '../public/events.js';
import { defined } from '../values/defined.js';
import { EMF_DIMENSION, EMF_METRICS, type EmfMetric } from './emf-metrics.js';

type Metrics = Partial<Record<EmfMetric, number>>;

/** Where lines are written. */
export interface Stdout {
  write(text: string): unknown;
}

/** The stdout of this process; undefined on platforms without one, such as edge runtimes. */
export function findStdout(): Stdout | undefined {
  const { process } = globalThis as { process?: { stdout?: Partial<Stdout> } };
  return typeof process?.stdout?.write === 'function' ? (process.stdout as Stdout) : undefined;
}

/** Writes one line of CloudWatch's Embedded Metric Format for each event that has a metric. */
export function emfWriter(namespace: string, stdout: Stdout): Observer {
  return (event) => {
    const metrics = metricsOf(event);
    // Not the console: under Lambda's JSON log format it wraps each text into a `message`, where it is no EMF any more.
    if (metrics) stdout.write(`${JSON.stringify(emfDocument(event, metrics, namespace))}\n`);
  };
}

/** What an event counts or measures; undefined when nothing. */
function metricsOf(event: LockEvent): Metrics | undefined {
  switch (event.type) {
    case 'attempted':
      return { Attempts: 1 };
    case 'finished':
      return { Executed: 1, Duration: event.durationMs };
    case 'failed':
      return { Failed: 1, Duration: event.durationMs };
    case 'skipped':
      return { Skipped: 1 };
    case 'released':
      return { HoldTime: event.heldMs };
    case 'missed':
      return { Missed: event.ticks.length };
    case 'lost':
      return { LockLost: 1 };
    case 'clock-skew':
      // Both bounds lie on the same side of the tolerance, so the nearer one is the least that the clock is off.
      return { ClockSkew: Math.min(Math.abs(event.minMs), Math.abs(event.maxMs)) };
    default:
      return undefined;
  }
}

function emfDocument(event: LockEvent, metrics: Metrics, namespace: string): object {
  const names = Object.keys(metrics) as EmfMetric[];
  return {
    _aws: {
      Timestamp: event.at.getTime(),
      CloudWatchMetrics: [
        {
          Namespace: namespace,
          Dimensions: [[EMF_DIMENSION]],
          Metrics: names.map((Name) => ({ Name, Unit: EMF_METRICS[Name] })),
        },
      ],
    },
    [EMF_DIMENSION]: dimensionValue(event.name),
    ...metrics,
    ...propertiesOf(event),
  };
}

/** Searchable, but no part of a metric. Only the name of an error is written: its message may hold a secret. */
function propertiesOf(event: LockEvent): object {
  return defined({
    Tick: event.tick?.toISOString(),
    AttemptId: event.attemptId,
    FencingToken: 'fencingToken' in event ? event.fencingToken : undefined,
    Reason: event.type === 'skipped' ? event.reason : undefined,
    Holder: event.type === 'skipped' ? event.holder?.lockedBy : undefined,
    Error: 'error' in event ? errorName(event.error) : undefined,
  });
}

/**
 * CloudWatch wants printable ASCII that is not all blank, and loses the dimension otherwise. What does not fit is
 * encoded as in a URI.
 */
function dimensionValue(name: string): string {
  return name.trim() === '' ? encodeURIComponent(name) : name.replace(/[^ -~]+/g, encodeURIComponent);
}
