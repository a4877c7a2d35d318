import { Duration } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import fc from 'fast-check';
import { lockMetric } from 'single-execution/cdk';
import { emfObserver } from 'single-execution/observe';
import { describe, expect, test, vi } from 'vitest';
import { EMF_DIMENSION } from '../../src/core/observers/emf-metrics.js';
import { nameProblem } from '../../src/core/values/names.js';
import { digest, nightly } from './digest.js';
import { dataIn } from './emf-data.js';

// alarm-table.test.ts and readme-deployed.test.ts show that alarms watch what runs write.
test('row 47: a metric of a lock has the dimension that the library writes, for every name that a lock can have', () => {
  const names = fc
    .oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: 'binary', maxLength: 40 }))
    .map((name) => name.normalize('NFC'))
    .filter((name) => nameProblem(name) === undefined);
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', undefined);
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const observe = emfObserver();
  fc.assert(
    fc.property(names, (name) => {
      written.mockClear();
      observe({ name, at: new Date(0), type: 'lost', fencingToken: 1 });

      expect(dataIn(String(written.mock.calls[0]?.[0]))[0]?.dimensions).toEqual([
        { Name: EMF_DIMENSION, Value: lockMetric('Jobs', 'LockLost', name).dimensions?.[EMF_DIMENSION] },
      ]);
    }),
    { numRuns: 500 },
  );
  written.mockRestore();
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
