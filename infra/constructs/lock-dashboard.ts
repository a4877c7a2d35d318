import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Color,
  Dashboard,
  GraphWidget,
  type IWidget,
  LogQueryVisualizationType,
  LogQueryWidget,
  type Metric,
  type MetricOptions,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { EMF_DIMENSION, NAMESPACE_VARIABLE } from '../../src/core/observers/emf-metrics.js';
import { functionBehind, logGroupNameOf } from './attached-function.js';
import { type LockMetricName, lockMetric } from './lock-metrics.js';
import { refuseShapeOfDashboard } from './props-shape.js';
import type { SingleExecution } from './single-execution.js';
import type { SingleExecutionFunction } from './single-execution-function.js';

/** Options of `LockDashboard`. */
export interface LockDashboardProps {
  /**
   * The functions, in the order of their rows. For a function with `SingleExecution.attach`, pass what `attach`
   * returned.
   */
  readonly functions: readonly (SingleExecutionFunction | SingleExecution)[];
  /** Name of the dashboard, unique in the account. @default made by CloudFormation */
  readonly dashboardName?: string;
}

/** CloudWatch's limit of alarms in one widget. */
const ALARMS_A_WIDGET = 100;
const THIRD = { width: 8, height: 6 };
const WHOLE = { width: 24, height: 6 };

/**
 * A dashboard for functions: their alarms, and for each function that writes metrics its runs, its skips by reason and
 * its hold times.
 *
 * @example
 * ```ts
 * import type { Stack } from 'aws-cdk-lib';
 * import { LockDashboard, type SingleExecutionFunction } from 'single-execution/cdk';
 *
 * export function addDashboard(stack: Stack, functions: SingleExecutionFunction[]) {
 *   new LockDashboard(stack, 'Dashboard', { functions });
 * }
 * ```
 */
export class LockDashboard extends Construct {
  /** The dashboard, to add widgets of your own. */
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, { functions, dashboardName }: LockDashboardProps) {
    super(scope, id);
    refuseShapeOfDashboard({ functions });
    this.dashboard = new Dashboard(this, 'Dashboard', {
      ...(dashboardName !== undefined && { dashboardName }),
      defaultInterval: Duration.days(1),
    });
    const executions = functions.map((fn) => ('execution' in fn ? fn.execution : fn));
    // Functions can share an alarm, which is shown once.
    const alarms = [...new Set(executions.flatMap((execution) => execution.alarms.all))];
    for (let first = 0; first < alarms.length; first += ALARMS_A_WIDGET) {
      const shown = alarms.slice(first, first + ALARMS_A_WIDGET);
      this.dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: shown, ...WHOLE }));
    }
    for (const execution of executions.filter(writesMetrics)) {
      this.dashboard.addWidgets(runs(execution), skips(execution), holdTime(execution));
    }
  }
}

const writesMetrics = ({ environment }: SingleExecution): boolean => NAMESPACE_VARIABLE in environment;

const idOf = ({ fn }: SingleExecution): string => functionBehind(fn).node.id;

function runs(execution: SingleExecution): IWidget {
  return new GraphWidget({
    title: `${idOf(execution)}: runs`,
    left: [
      ...metricsOf(execution, 'Executed', 'succeeded'),
      ...metricsOf(execution, 'Failed', 'failed'),
      ...metricsOf(execution, 'Missed', 'missed'),
    ],
    ...THIRD,
  });
}

/** Makes a table of skips by reason, counted from the log: a dimension would cost one metric for each reason. */
function skips(execution: SingleExecution): IWidget {
  return new LogQueryWidget({
    title: `${idOf(execution)}: skips by reason`,
    logGroupNames: [logGroupNameOf(execution.fn)],
    view: LogQueryVisualizationType.TABLE,
    queryLines: [
      'filter Skipped = 1',
      // If the dimension `LockName` is a prefix, `Lock` has the lock's own name.
      `stats count(*) as Skips by coalesce(Lock, ${EMF_DIMENSION}) as Name, Reason`,
      'sort Skips desc',
    ],
    ...THIRD,
  });
}

function holdTime(execution: SingleExecution): IWidget {
  return new GraphWidget({
    title: `${idOf(execution)}: hold time against the lease`,
    left: metricsOf(execution, 'HoldTime', 'held', { statistic: 'Maximum' }),
    leftYAxis: { label: 'ms', min: 0, showUnits: false },
    leftAnnotations: [{ value: execution.lockAtMostFor.toMilliseconds(), label: 'lease', color: Color.RED }],
    ...THIRD,
  });
}

function metricsOf(
  { metricNamespace, lockSets }: SingleExecution,
  name: LockMetricName,
  what: string,
  options: MetricOptions = {},
): Metric[] {
  return lockSets.map((set) =>
    lockMetric(metricNamespace, name, set.name, { label: `${set.name} ${what}`, ...options }),
  );
}
