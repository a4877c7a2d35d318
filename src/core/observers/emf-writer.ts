import type { LockEvent, Observer } from '../public/events.js';
import { factsOfSkip } from '../public/outcome.js';
import { defined } from '../values/defined.js';
import { environmentVariable } from '../values/environment.js';
import { unawaited } from '../values/promised.js';
import { errorName } from '../values/thrown.js';
import {
  dimensionValue,
  EMF_DEFAULTS,
  EMF_DIMENSION,
  EMF_FUNCTION_DIMENSION,
  EMF_METRICS,
  type EmfMetric,
  lockSetOf,
} from './emf-metrics.js';
import { type ByType, byType } from './event-words.js';

type Numbers = Partial<Record<EmfMetric, number>>;

/** The stream that lines are written to. */
export interface Stdout {
  write(text: string): unknown;
}

export interface EmfSettings {
  readonly namespace: string;
  /** Prefixes of lock names; the locks of each prefix are one set, and share its metrics. */
  readonly sets: readonly string[];
  /** The numbers of a line that are declared as metrics. @default EMF_DEFAULTS */
  readonly metrics?: readonly EmfMetric[];
}

/** Finds the stdout of this process; undefined on platforms that have no stdout, such as edge runtimes. */
export function findStdout(): Stdout | undefined {
  const { process } = globalThis as { process?: { stdout?: Partial<Stdout> } };
  return typeof process?.stdout?.write === 'function' ? (process.stdout as Stdout) : undefined;
}

/** Writes one line of CloudWatch's Embedded Metric Format for each event that has a metric, and for each skip. */
export function emfWriter({ namespace, sets, metrics = EMF_DEFAULTS }: EmfSettings, stdout: Stdout): Observer {
  const functionName = environmentVariable('AWS_LAMBDA_FUNCTION_NAME') || undefined;
  const lambdaFilter = filterLevel();
  return (event) => {
    const numbers: Numbers = { ...byType(NUMBERS, event) };
    const declared = (Object.keys(numbers) as EmfMetric[]).filter((name) => metrics.includes(name));
    if (declared.length === 0 && event.type !== 'skipped') return;
    const line = {
      ...(declared.length > 0 && { _aws: directive(event, declared, { namespace, functionName }) }),
      ...dimensionsOf(event, sets, functionName),
      ...numbers,
      ...propertiesOf(event),
      ...keptBy(lambdaFilter, event),
    };
    // Do not write to the console: in Lambda's JSON log format it wraps each text in a `message`, and the line would no
    // longer be EMF.
    unawaited(stdout.write(`${JSON.stringify(line)}\n`));
  };
}

/** Returns the level below which Lambda drops lines; undefined with the text format, in which Lambda drops no line. */
function filterLevel(): string | undefined {
  if (environmentVariable('AWS_LAMBDA_LOG_FORMAT') !== 'JSON') return undefined;
  return environmentVariable('AWS_LAMBDA_LOG_LEVEL') || undefined;
}

/**
 * Returns fields that keep Lambda from dropping a line. Lambda treats a line without `level`, or without a valid
 * `timestamp`, as INFO, and would drop metrics of a function that logs from WARN on.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
 */
const keptBy = (level: string | undefined, event: LockEvent): object =>
  level === undefined ? {} : { level, timestamp: event.at.toISOString() };

/** The numbers that each type of event counts or measures. The types that are left out add to no metric. */
const NUMBERS: ByType<
  | 'acquired'
  | 'acquire-failed'
  | 'started'
  | 'extended'
  | 'extend-failed'
  | 'release-failed'
  | 'caught-up'
  | 'given-up'
  | 'recovered'
  | 'clock-unverified'
  | 'tick-unreadable',
  Numbers
> = {
  attempted: () => ({ Attempts: 1 }),
  // A run by hand does not clear the alarm of a job that does not run.
  finished: ({ durationMs, isManual }) => ({ ...(!isManual && { Executed: 1 }), Duration: durationMs }),
  failed: ({ durationMs }) => ({ Failed: 1, Duration: durationMs }),
  skipped: ({ reason }) => ({ Skipped: 1, ...(factsOfSkip(reason).isSettled && { Executed: 0 }) }),
  released: ({ heldMs }) => ({ HoldTime: heldMs }),
  missed: ({ ticks, others }) => ({ Missed: ticks.length + others }),
  lost: () => ({ LockLost: 1 }),
  // Both bounds of the error lie on the same side of 0, so the clock is wrong by at least the nearer bound.
  'clock-skew': ({ minMs, maxMs }) => ({ ClockSkew: Math.min(Math.abs(minMs), Math.abs(maxMs)) }),
};

const isOfFunction = ({ type }: LockEvent): boolean => type === 'lost' || type === 'clock-skew';

function directive(
  event: LockEvent,
  declared: readonly EmfMetric[],
  { namespace, functionName }: { readonly namespace: string; readonly functionName: string | undefined },
): object {
  const dimensions = [[EMF_DIMENSION], ...(functionName && isOfFunction(event) ? [[EMF_FUNCTION_DIMENSION]] : [])];
  return {
    Timestamp: event.at.getTime(),
    CloudWatchMetrics: [
      {
        Namespace: namespace,
        Dimensions: dimensions,
        Metrics: declared.map((Name) => ({ Name, Unit: EMF_METRICS[Name] })),
      },
    ],
  };
}

/** Returns the values of the dimensions, and for a lock of a set also the lock's own name. */
function dimensionsOf(event: LockEvent, sets: readonly string[], functionName: string | undefined): object {
  const set = lockSetOf(event.name, sets);
  return {
    [EMF_DIMENSION]: dimensionValue(set ?? event.name),
    ...(functionName && isOfFunction(event) && { [EMF_FUNCTION_DIMENSION]: functionName }),
    ...(set !== undefined && { Lock: event.name }),
  };
}

/**
 * Returns searchable fields that are not metrics. They contain only the name of an error: its message may be secret.
 */
function propertiesOf(event: LockEvent): object {
  return defined({
    Tick: event.tick?.toISOString(),
    IsManual: event.isManual,
    AttemptId: event.attemptId,
    FencingToken: 'fencingToken' in event ? event.fencingToken : undefined,
    Reason: event.type === 'skipped' ? event.reason : undefined,
    Holder: event.type === 'skipped' ? event.holder?.lockedBy : undefined,
    Error: 'error' in event ? errorName(event.error) : undefined,
  });
}
