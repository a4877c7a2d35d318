import type { Alarm, Metric, MetricSource } from '../deployment.js';
import type { Values } from './intrinsics.js';

/** An alarm of CloudFormation. @param name such as `DidNotRun` */
export function readAlarm(name: string, alarm: Values): Alarm {
  const periods = Number(alarm['EvaluationPeriods']);
  return {
    name,
    description: String(alarm['AlarmDescription']),
    comparison: String(alarm['ComparisonOperator']),
    threshold: Number(alarm['Threshold']),
    periods,
    datapoints: Number(alarm['DatapointsToAlarm'] ?? periods),
    missingData: String(alarm['TreatMissingData'] ?? 'missing'),
    actions: texts(alarm['AlarmActions']),
    okActions: texts(alarm['OKActions']),
    metrics: Array.isArray(alarm['Metrics']) ? alarm['Metrics'].map(readPart) : [readMetric(alarm)],
  };
}

function readMetric(alarm: Values): Metric {
  return {
    id: '',
    returned: true,
    label: undefined,
    periodSeconds: Number(alarm['Period']),
    expression: undefined,
    source: readSource(alarm, alarm['Statistic']),
  };
}

function readPart(part: Values): Metric {
  const stat = part['MetricStat'] as Values | undefined;
  const period = stat?.['Period'] ?? part['Period'];
  return {
    id: String(part['Id']),
    returned: part['ReturnData'] !== false,
    label: part['Label'] === undefined ? undefined : String(part['Label']),
    periodSeconds: period === undefined ? undefined : Number(period),
    expression: part['Expression'] === undefined ? undefined : String(part['Expression']),
    source: stat && readSource(stat['Metric'] as Values, stat['Stat']),
  };
}

function readSource(metric: Values, statistic: unknown): MetricSource {
  const dimensions = (metric['Dimensions'] ?? []) as readonly Values[];
  return {
    namespace: String(metric['Namespace']),
    name: String(metric['MetricName']),
    dimensions: Object.fromEntries(dimensions.map(({ Name, Value }) => [Name, String(Value)])),
    statistic: String(statistic),
  };
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String).sort() : []);
