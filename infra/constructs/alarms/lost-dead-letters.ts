import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Schedule } from 'aws-cdk-lib/aws-scheduler';
import { functionBehind } from '../attached-function.js';
import type { Trigger } from '../triggers.js';

/*
 * Scheduler and EventBridge count the ticks that they gave up and could not send to the dead-letter queue. Scheduler
 * counts by schedule group, EventBridge by rule (user guides: "Monitoring with CloudWatch", "Monitoring Amazon
 * EventBridge"). Lambda counts the failed runs that it could not send on (Lambda's developer guide, "Invocation
 * metrics"). One alarm adds up at most ten metrics. With more than nine groups and rules, the alarm uses Scheduler's
 * count of the whole account and region. EventBridge has no such count, so rules are then left out.
 */

const MOST_TRIGGERS = 9;

interface LostDeadLetters {
  readonly metric: IMetric;
  /** Whether the metric counts all schedules of the account and region, and no rule. */
  readonly isOfAll: boolean;
}

/** Returns the metric of ticks and failed runs of a function that were given up and did not reach their queue. */
export function lostDeadLetters(fn: IFunction, triggers: readonly Trigger[], period: Duration): LostDeadLetters {
  const each = new Map(triggers.map((trigger) => countedOf(trigger, period)));
  const isOfAll = each.size > MOST_TRIGGERS;
  const ofAll = triggers.every((trigger) => trigger instanceof Rule)
    ? []
    : [Schedule.metricAllFailedToBeSentToDLQ(undefined, { period })];
  const metrics = [...(isOfAll ? ofAll : each.values()), lostRuns(fn, period)];
  const [only, ...others] = metrics;
  if (only && others.length === 0) return { metric: only, isOfAll };
  const usingMetrics = Object.fromEntries(metrics.map((metric, n) => [`lost_${n + 1}`, metric]));
  const expression = Object.keys(usingMetrics).join(' + ');
  return { metric: new MathExpression({ expression, usingMetrics, period, label: 'dead letters lost' }), isOfAll };
}

/** Returns Lambda's count of failed runs that did not reach the destination, or the queue of the function itself. */
function lostRuns(fn: IFunction, period: Duration): Metric {
  const its = functionBehind(fn);
  const { deadLetterQueue } = its as Partial<LambdaFunction>;
  return its.metric(deadLetterQueue ? 'DeadLetterErrors' : 'DestinationDeliveryFailures', { period, statistic: 'Sum' });
}

/** Returns the name of a trigger's schedule group or rule, and the metric that counts its lost ticks. */
function countedOf(trigger: Trigger, period: Duration): [source: string, Metric] {
  const statistic = 'Sum';
  if (trigger instanceof Rule) {
    const dimensionsMap = { RuleName: trigger.ruleName };
    const metricName = 'InvocationsFailedToBeSentToDlq';
    return [
      `rule ${trigger.ruleName}`,
      new Metric({ namespace: 'AWS/Events', metricName, dimensionsMap, statistic, period }),
    ];
  }
  const group = trigger.scheduleGroup?.scheduleGroupName ?? 'default';
  const metricName = 'InvocationsFailedToBeSentToDeadLetterCount';
  const dimensionsMap = { ScheduleGroup: group };
  return [`group ${group}`, new Metric({ namespace: 'AWS/Scheduler', metricName, dimensionsMap, statistic, period })];
}
