import { Duration, Stack } from 'aws-cdk-lib';
import { EventField, Rule, Schedule as RuleSchedule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { type IRole, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  ContextAttribute,
  type IScheduleGroup,
  Schedule,
  type ScheduleExpression,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { PlannedSchedule } from './planned-schedule.js';
import { deliveryRetries } from './retry-settings.js';
import { isUtc } from './run-gaps.js';

/** When a function runs, under which lock, and with what. */
export interface LockSchedule {
  /** With a time zone, if one is wanted. A `rate` counts from the creation of the schedule. */
  readonly schedule: ScheduleExpression;
  /** The lock that its runs take, as alarms and dashboard name it. @default the one name of `lockNames` */
  readonly lockName?: string;
  /** `event.detail`. @default {} */
  readonly detail?: Readonly<Record<string, unknown>>;
  /** EventBridge Scheduler, or a rule of EventBridge, which knows UTC alone. @default 'scheduler' */
  readonly via?: 'scheduler' | 'rule';
  /** How late Scheduler may be, to spread load. @default TimeWindow.off() */
  readonly timeWindow?: TimeWindow;
  /** A schedule that is off has no alarm that it did not run. @default true */
  readonly enabled?: boolean;
  /** @default made by CloudFormation */
  readonly scheduleName?: string;
  /** What the schedule or the rule is for, as the console shows it. @default none */
  readonly description?: string;
  /** Scheduler's alone, like those below. @default a group of the lock's own, by which alarms know its schedules */
  readonly scheduleGroup?: IScheduleGroup;
  /** It does not fire before. @default when it is deployed */
  readonly start?: Date;
  /** It does not fire from then on. @default never */
  readonly end?: Date;
  /** What Scheduler invokes the function with; it gets the rights to do so. @default one for each function */
  readonly role?: IRole;
}

/** What invokes a function. */
export type Trigger = Schedule | Rule;

/**
 * Has a schedule or a rule invoke a function, in both cases with an event of EventBridge's shape. Its `time` is the
 * scheduled time, the same for every delivery of a tick; a clock or the event's id would differ between deliveries.
 */
export function addSchedule(
  scope: Construct,
  fn: IFunction,
  planned: PlannedSchedule,
  deadLetterQueue: IQueue,
): Trigger {
  const { attempts, maxAgeMs } = deliveryRetries(planned.gaps?.shortestMs ?? Number.POSITIVE_INFINITY);
  const delivery = { deadLetterQueue, retryAttempts: attempts, maxEventAge: Duration.millis(maxAgeMs) };
  return planned.via === 'rule'
    ? addRule(scope, fn, planned, delivery)
    : addSchedulerSchedule(scope, fn, planned, delivery);
}

interface Delivery {
  readonly deadLetterQueue: IQueue;
  readonly retryAttempts: number;
  readonly maxEventAge: Duration;
}

function addSchedulerSchedule(
  scope: Construct,
  fn: IFunction,
  { id, detail = {}, timeWindow = TimeWindow.off(), role, lockName, gaps, via, ...own }: PlannedSchedule,
  delivery: Delivery,
): Schedule {
  const { account, region } = Stack.of(fn);
  const input = ScheduleTargetInput.fromObject({
    version: '0',
    id: ContextAttribute.executionId,
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account,
    region,
    time: ContextAttribute.scheduledTime,
    resources: [ContextAttribute.scheduleArn],
    detail,
    // Attributes that an event of a rule has no place for, under Scheduler's names.
    scheduledTime: ContextAttribute.scheduledTime,
    scheduleArn: ContextAttribute.scheduleArn,
    attemptNumber: ContextAttribute.attemptNumber,
  });
  const target = new LambdaInvoke(fn, { ...delivery, input, ...(role && { role }) });
  return new Schedule(scope, `Schedule:${id}`, {
    ...own,
    timeWindow,
    target: {
      bind(schedule) {
        const bound = target.bind(schedule);
        delivery.deadLetterQueue.encryptionMasterKey?.grantEncryptDecrypt(bound.role);
        return bound;
      },
    },
  });
}

function addRule(scope: Construct, fn: IFunction, planned: PlannedSchedule, delivery: Delivery): Rule {
  refuseForRule(planned);
  const { id, schedule, detail, enabled, scheduleName, description } = planned;
  const event = detail && RuleTargetInput.fromObject({ ...RULE_EVENT, detail });
  const sender = new ServicePrincipal('events.amazonaws.com');
  delivery.deadLetterQueue.encryptionMasterKey?.grantEncryptDecrypt(sender);
  return new Rule(scope, `Rule:${id}`, {
    schedule: RuleSchedule.expression(schedule.expressionString),
    enabled,
    ...(scheduleName !== undefined && { ruleName: scheduleName }),
    ...(description !== undefined && { description }),
    targets: [new LambdaFunction(fn, { ...delivery, ...(event && { event }) })],
  });
}

/** What only Scheduler can do. */
const SCHEDULERS_OWN = ['scheduleGroup', 'start', 'end', 'role'] as const;

function refuseForRule(planned: PlannedSchedule): void {
  const { schedule, timeWindow, detail } = planned;
  const { expressionString, timeZone } = schedule;
  if (!isUtc(schedule)) {
    throw new TypeError(
      `schedule ${expressionString} is in time zone '${timeZone?.timezoneName}': a rule knows UTC alone; leave out via: 'rule'`,
    );
  }
  if (expressionString.startsWith('at(')) {
    throw new TypeError(`schedule ${expressionString} fires once: a rule cannot; leave out via: 'rule'`);
  }
  if (timeWindow && timeWindow.mode !== 'OFF') {
    throw new TypeError(`schedule ${expressionString} has a timeWindow: a rule has none; leave out via: 'rule'`);
  }
  const given = SCHEDULERS_OWN.find((option) => planned[option] !== undefined);
  if (given) {
    throw new TypeError(
      `schedule ${expressionString} has '${given}', which a rule does not know; leave it out, or leave out via: 'rule'`,
    );
  }
  if (JSON.stringify(detail)?.includes('<')) {
    throw new TypeError(
      `detail of ${expressionString} has a '<', which a rule takes for the beginning of a placeholder; leave out via: 'rule'`,
    );
  }
}

/** What a rule would send by itself; a rule sends all of it or none. */
const RULE_EVENT = {
  version: '0',
  id: EventField.eventId,
  'detail-type': EventField.detailType,
  source: EventField.source,
  account: EventField.account,
  region: EventField.region,
  time: EventField.time,
  resources: [EventField.fromPath('$.resources[0]')],
};
