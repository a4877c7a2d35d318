import type { Alarm, Deployment, Metric } from '../deployment.js';
import { attribute, block, type Hcl } from './hcl.js';
import { list, NAME, text } from './terraform-expression.js';

/** An alarm; that of the time-out follows it. */
export function alarmBlock(one: Alarm, { job }: Deployment): Hcl {
  const id = one.name.replace(/[A-Z]/g, (letter, index) => `${index > 0 ? '_' : ''}${letter.toLowerCase()}`);
  const timeoutMs = job.timeoutSeconds * 1_000;
  const isOfTimeout = one.metrics[0]?.source?.name === 'Duration';
  return block(
    `resource "aws_cloudwatch_metric_alarm" "${id}"`,
    attribute('alarm_name', `"\${${NAME}}-${id.replaceAll('_', '-')}"`),
    attribute('alarm_description', text(one.description)),
    ...metricAttributes(one.metrics),
    attribute('comparison_operator', text(one.comparison)),
    attribute(
      'threshold',
      isOfTimeout ? `${one.threshold / timeoutMs} * local.send_digest.timeout_seconds * 1000` : one.threshold,
    ),
    attribute('evaluation_periods', one.periods),
    ...(one.datapoints === one.periods ? [] : [attribute('datapoints_to_alarm', one.datapoints)]),
    attribute('treat_missing_data', text(one.missingData)),
    ...(one.actions.length > 0 ? [attribute('alarm_actions', list(one.actions))] : []),
    ...(one.okActions.length > 0 ? [attribute('ok_actions', list(one.okActions))] : []),
    ...(isMath(one.metrics) ? one.metrics.map(query) : []),
  );
}

const isMath = (metrics: readonly Metric[]): boolean => metrics.some(({ id }) => id !== '');

function metricAttributes(metrics: readonly Metric[]): Hcl[] {
  const [only] = metrics;
  if (isMath(metrics) || !only) return [];
  return sourceAttributes(only, 'statistic');
}

function sourceAttributes({ source, periodSeconds }: Metric, statistic: 'statistic' | 'stat'): Hcl[] {
  if (!source) return [];
  const dimensions = Object.entries(source.dimensions).map(([name, value]) => `${name} = ${text(value)}`);
  return [
    attribute('namespace', text(source.namespace)),
    attribute('metric_name', text(source.name)),
    ...(dimensions.length > 0 ? [attribute('dimensions', `{ ${dimensions.join(', ')} }`)] : []),
    attribute(statistic, text(source.statistic)),
    ...(periodSeconds === undefined ? [] : [attribute('period', periodSeconds)]),
  ];
}

function query(metric: Metric): Hcl {
  const { id, label, expression, periodSeconds, returned } = metric;
  const period = periodSeconds === undefined ? [] : [attribute('period', periodSeconds)];
  return block(
    'metric_query',
    attribute('id', text(id)),
    ...(expression === undefined ? [] : [attribute('expression', text(expression)), ...period]),
    ...(label === undefined ? [] : [attribute('label', text(label))]),
    attribute('return_data', returned),
    ...(metric.source ? [block('metric', ...sourceAttributes(metric, 'stat'))] : []),
  );
}
