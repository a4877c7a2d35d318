import { Duration } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import fc from 'fast-check';
import { withSingleExecution } from 'single-execution';
import { lockMetric } from 'single-execution/cdk';
import { emfObserver } from 'single-execution/observe';
import { lambdaContext, manualClock } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { EMF_DIMENSION } from '../../src/core/observers/emf-metrics.js';
import { nameProblem } from '../../src/core/values/names.js';
import { pass } from '../support/clocks.js';
import { grantOf, scriptedStore } from '../support/scripted-store.js';
import { digest, nightly } from './digest.js';
import { type Datum, dataIn } from './emf-data.js';
import { templateOf } from './synthesised.js';
import { resolved } from './synthesised-app.js';

const LOCK_NAMES = ['digest', 'tenant/acme: a~b %', 'prüfung', 'señal ÿ', '  '];

let written: MockInstance<typeof process.stdout.write>;
beforeEach(() => {
  vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', undefined);
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', undefined);
  written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** The data that CloudWatch reads from the lines that were written. */
const data = () => written.mock.calls.flatMap(([line]) => dataIn(String(line)));

/** Makes a run on a host whose clock is wrong. The run loses its lock, and still succeeds. */
async function eventfulRun(name: string): Promise<void> {
  const clock = manualClock();
  const store = scriptedStore({
    acquire: async (claim, call) => ({ ...grantOf(claim, call), clock: { minMs: 30_000, maxMs: 31_000 } }),
  });
  const options = { name, store, clock, lockAtMostFor: '1m', observers: [emfObserver()] };
  const running = withSingleExecution(() => pass(clock, 70_000), options)({}, lambdaContext({ clock }));
  await clock.advance(70_000);
  await running;
}

const synthesised = () =>
  templateOf(
    digest({
      lockNames: LOCK_NAMES,
      schedules: LOCK_NAMES.map((lockName) => ({ schedule: ScheduleExpression.rate(Duration.hours(1)), lockName })),
    }).stack,
  );

interface Watched extends Omit<Datum, 'value'> {
  /** The threshold of an alarm on this metric alone. */
  readonly threshold?: number;
}

/** The metrics of the library that the alarms of a template watch. The function's logical id stands for its name. */
function watchedBy(template: Template): Watched[] {
  return Object.values(template.findResources('AWS::CloudWatch::Alarm'))
    .map(({ Properties }) => resolved(Properties, (id) => id) as AlarmProperties)
    .flatMap(({ Metrics, Threshold, ...alone }): Watched[] =>
      Metrics
        ? Metrics.flatMap(({ MetricStat }) => (MetricStat ? [watched(MetricStat.Metric)] : []))
        : [{ ...watched(alone), threshold: Threshold }],
    )
    .filter(({ namespace }) => !namespace.startsWith('AWS/'));
}

type Named = { readonly Namespace: string; readonly MetricName: string; readonly Dimensions: Datum['dimensions'] };
type AlarmProperties = Named & {
  readonly Threshold: number;
  readonly Metrics?: readonly { readonly MetricStat?: { readonly Metric: Named } }[];
};

const watched = ({ Namespace, MetricName, Dimensions }: Named): Watched => ({
  namespace: Namespace,
  metric: MetricName,
  dimensions: Dimensions,
});

function stubEnvironment(template: Template): void {
  const [[id, fn] = []] = Object.entries(template.findResources('AWS::Lambda::Function'));
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', id);
  for (const [name, value] of Object.entries(fn?.['Properties'].Environment.Variables)) {
    if (typeof value === 'string') vi.stubEnv(name, value);
  }
}

test("row 77: each alarm watches what runs write in the function's environment, whatever the lock's name, and high enough to set it off", async () => {
  const template = synthesised();
  await eventfulRun('digest');
  const withoutEnvironment = data().map(({ namespace }) => namespace);
  stubEnvironment(template);
  for (const name of LOCK_NAMES) await eventfulRun(name);

  const all = watchedBy(template);
  // For each lock, two metrics on whether it ran; for the function, one on lost locks and one on wrong clocks.
  expect(all).toHaveLength(2 * LOCK_NAMES.length + 2);
  for (const { threshold = 0, ...metric } of all) {
    const [datum] = data().filter(({ value, ...written }) => JSON.stringify(written) === JSON.stringify(metric));
    expect(datum, JSON.stringify(metric)).toMatchObject({ value: expect.any(Number) });
    expect(datum?.value).toBeGreaterThanOrEqual(threshold);
  }
  // Without the environment no alarm would have data.
  expect([new Set(withoutEnvironment), new Set(all.map(({ namespace }) => namespace))]).toEqual([
    new Set(['SingleExecution']),
    new Set(['SingleExecution/Jobs']),
  ]);
});

test('row 47: a metric of a lock has the dimension that the library writes, for every name that a lock can have', () => {
  const names = fc
    .oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 40 }))
    .map((name) => name.normalize('NFC'))
    .filter((name) => nameProblem(name) === undefined);
  const observe = emfObserver();
  fc.assert(
    fc.property(names, (name) => {
      written.mockClear();
      observe({ name, at: new Date(0), type: 'lost', fencingToken: 1 });

      expect(data()[0]?.dimensions).toEqual([
        { Name: EMF_DIMENSION, Value: lockMetric('Jobs', 'LockLost', name).dimensions?.[EMF_DIMENSION] },
      ]);
    }),
    { numRuns: 500 },
  );
});

describe('row 47: a function has the metrics of its lock', () => {
  const METHODS = ['Executed', 'Failed', 'Missed', 'LockLost', 'HoldTime', 'ClockSkew'] as const;
  const shown = ({ namespace, metricName, dimensions, statistic, period, label }: Metric) =>
    [`${namespace} ${metricName} of ${dimensions?.['LockName']}`, statistic, period.toMinutes(), label]
      .join(' ')
      .trim();

  test('by methods, as other constructs have them: over five minutes, or as its user says', () => {
    const { execution } = digest();
    const given = { statistic: 'p99', period: Duration.hours(1), label: 'held' };

    expect(METHODS.map((name) => shown(execution[`metric${name}`]()))).toEqual([
      'SingleExecution/Jobs Executed of digest Sum 5',
      'SingleExecution/Jobs Failed of digest Sum 5',
      'SingleExecution/Jobs Missed of digest Sum 5',
      'SingleExecution/Jobs LockLost of digest Sum 5',
      'SingleExecution/Jobs HoldTime of digest Maximum 5',
      'SingleExecution/Jobs ClockSkew of digest Maximum 5',
    ]);
    expect(shown(execution.metricExecuted(given))).toBe('SingleExecution/Jobs Executed of digest p99 60 held');
    expect(shown(lockMetric('Jobs', 'Skipped', 'digest', given))).toBe('Jobs Skipped of digest p99 60 held');
  });

  test('of the lock that is named, or of its prefix', () => {
    const { execution } = digest({
      lockNames: ['a', 'tenant/*'],
      schedules: [{ schedule: nightly, lockName: 'a' }],
    });

    expect(shown(execution.metricFailed({ lockName: 'tenant/acme' }))).toContain('Failed of tenant/* ');
    expect(() => execution.metricFailed()).toThrow(
      new TypeError(
        'metric Failed is asked for without lockName, and lockNames is [a, tenant/*]: name one with lockName',
      ),
    );
  });

  test('unless its runs write no metrics: at level FLEET, where no alarm that was asked for makes them', () => {
    const [fleet, asked] = [{}, { lockLost: {} }].map(
      (more) => digest({ alarms: { level: 'fleet', ...more } }).execution,
    );

    for (const name of METHODS) {
      expect(() => fleet?.[`metric${name}`]()).toThrow(
        new TypeError(
          `metric ${name} is asked for, and runs write no metrics with alarms.level 'fleet': choose LockAlarmLevel.ESSENTIAL or ALL`,
        ),
      );
    }
    expect(asked?.metricFailed().metricName).toBe('Failed');
  });
});
