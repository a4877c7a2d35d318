import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Rule } from 'aws-cdk-lib/aws-events';
import { Schedule } from 'aws-cdk-lib/aws-scheduler';
import type { Trigger } from '../lock-schedule.js';

/*
 * Scheduler and EventBridge count the ticks that they gave up and could not send to the dead-letter queue. Scheduler
 * counts by schedule group, EventBridge by rule (user guides: "Monitoring with CloudWatch", "Monitoring Amazon
 * EventBridge"). One alarm adds up at most ten metrics. With more than ten groups and rules, the alarm uses Scheduler's
 * count of the whole account and region. EventBridge has no such count, so rules are then left out. With rules
 * alone, no alarm is made.
 */

const MOST_METRICS = 10;

interface LostDeadLetters {
  readonly metric: IMetric;
  /** The groups and rules that the metric counts; empty if it counts all schedules. */
  readonly sources: readonly string[];
}

/**
 * Returns the metric of ticks that were given up and did not reach the queue; undefined for more than ten rules without
 * a schedule.
 */
export function lostDeadLetters(triggers: readonly Trigger[], period: Duration): LostDeadLetters | undefined {
  const metrics = Object.fromEntries(triggers.map((trigger) => countedOf(trigger, period)));
  const sources = Object.keys(metrics);
  if (sources.length > MOST_METRICS) {
    if (triggers.every((trigger) => trigger instanceof Rule)) return undefined;
    return { metric: Schedule.metricAllFailedToBeSentToDLQ(undefined, { period }), sources: [] };
  }
  const [only, ...others] = Object.values(metrics);
  if (only && others.length === 0) return { metric: only, sources };
  const usingMetrics = Object.fromEntries(Object.values(metrics).map((metric, n) => [`lost_${n + 1}`, metric]));
  const expression = Object.keys(usingMetrics).join(' + ');
  return { metric: new MathExpression({ expression, usingMetrics, period, label: 'dead letters lost' }), sources };
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
