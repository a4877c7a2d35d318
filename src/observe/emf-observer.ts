import { defined } from '../core/defined.js';
import { describe } from '../core/describe.js';
import { errorName } from '../core/errors.js';
import type { LockEvent, Observer } from '../core/events.js';
import { EMF_DIMENSION, EMF_METRICS, type EmfMetric } from './emf-metrics.js';
import { emfNamespace } from './emf-namespace.js';

export interface EmfOptions {
  /** CloudWatch namespace of the metrics. @default env SINGLE_EXECUTION_NAMESPACE, else 'SingleExecution' */
  readonly namespace?: string;
}

type Metrics = Partial<Record<EmfMetric, number>>;

/**
 * Makes an observer that writes one line of CloudWatch's Embedded Metric Format on stdout for each event that has a
 * metric; it calls nothing and needs no permission. A lock name that CloudWatch refuses as a dimension appears
 * percent-encoded, as in a URI.
 *
 * @throws TypeError for an unknown option, a namespace that is no string, or where there is no stdout
 * @throws RangeError for a namespace that CloudWatch would refuse
 */
export function emfObserver(options: EmfOptions = {}): Observer {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options is ${describe(options)}: give an object with namespace, or nothing`);
  }
  for (const key of Object.keys(options)) {
    if (key !== 'namespace') throw new TypeError(`unknown option '${key}': the option is namespace`);
  }
  const namespace = emfNamespace(options.namespace);
  const stdout = findStdout();

  return (event) => {
    const metrics = metricsOf(event);
    // Not the console: under Lambda's JSON log format it wraps each text into a `message`, where it is no EMF any more.
    if (metrics) stdout.write(`${JSON.stringify(emfDocument(event, metrics, namespace))}\n`);
  };
}

function findStdout(): { write(text: string): unknown } {
  const { process } = globalThis as { process?: { stdout?: { write?(text: string): unknown } } };
  const stdout = process?.stdout;
  if (typeof stdout?.write !== 'function') {
    throw new TypeError(
      `process.stdout.write is ${describe(stdout?.write)}: EMF works where stdout is collected, as on Lambda; elsewhere pass an observer of your own`,
    );
  }
  return stdout as { write(text: string): unknown };
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

/** Searchable, but no part of a metric. Of an error its name alone: its message may hold a secret. */
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
