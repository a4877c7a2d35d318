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
import { type LockMetricName, lockMetric } from './lock-metrics.js';
import type { SingleExecutionFunction } from './single-execution-function.js';

/** What the dashboard shows. */
export interface LockDashboardProps {
  /** The functions, in the order of their rows. */
  readonly functions: readonly SingleExecutionFunction[];
  /** Unique among the dashboards of the account. @default made by CloudFormation */
  readonly dashboardName?: string;
}

/** CloudWatch's limit. */
const ALARMS_A_WIDGET = 100;
const THIRD = { width: 8, height: 6 };
const WHOLE = { width: 24, height: 6 };

/**
 * One page for a stack: its alarms, and for each function its runs, its skips by reason and its hold times.
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
    this.dashboard = new Dashboard(this, 'Dashboard', {
      ...(dashboardName !== undefined && { dashboardName }),
      defaultInterval: Duration.days(1),
    });
    const alarms = functions.flatMap((fn) => fn.alarms.all);
    for (let first = 0; first < alarms.length; first += ALARMS_A_WIDGET) {
      const shown = alarms.slice(first, first + ALARMS_A_WIDGET);
      this.dashboard.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms: shown, ...WHOLE }));
    }
    for (const fn of functions) this.dashboard.addWidgets(runs(fn), skips(fn), holdTime(fn));
  }
}

function runs(fn: SingleExecutionFunction): IWidget {
  return new GraphWidget({
    title: `${fn.node.id}: runs`,
    left: [
      ...metricsOf(fn, 'Executed', 'succeeded'),
      ...metricsOf(fn, 'Failed', 'failed'),
      ...metricsOf(fn, 'Missed', 'missed'),
    ],
    ...THIRD,
  });
}

/** Skips are counted by reason in the log: a dimension would cost one metric for each reason. */
function skips(fn: SingleExecutionFunction): IWidget {
  return new LogQueryWidget({
    title: `${fn.node.id}: skips by reason`,
    logGroupNames: [fn.logGroup.logGroupName],
    view: LogQueryVisualizationType.TABLE,
    queryLines: [
      'filter Skipped = 1',
      // The lock's own name, where its set is the dimension.
      'stats count(*) as Skips by coalesce(Lock, LockName) as Name, Reason',
      'sort Skips desc',
    ],
    ...THIRD,
  });
}

function holdTime(fn: SingleExecutionFunction): IWidget {
  return new GraphWidget({
    title: `${fn.node.id}: hold time against the lease`,
    left: metricsOf(fn, 'HoldTime', 'held', { statistic: 'Maximum' }),
    leftYAxis: { label: 'ms', min: 0, showUnits: false },
    leftAnnotations: [{ value: fn.lockAtMostFor.toMilliseconds(), label: 'lease', color: Color.RED }],
    ...THIRD,
  });
}

function metricsOf(
  { metricNamespace, execution }: SingleExecutionFunction,
  name: LockMetricName,
  what: string,
  options: MetricOptions = {},
): Metric[] {
  return execution.lockSets.map((set) =>
    lockMetric(metricNamespace, name, set.name, { label: `${set.name} ${what}`, ...options }),
  );
}
