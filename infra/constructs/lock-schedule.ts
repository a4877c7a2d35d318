import { Stack } from 'aws-cdk-lib';
import { EventField, Rule, Schedule as RuleSchedule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  ContextAttribute,
  type IScheduleGroup,
  Schedule,
  type ScheduleExpression,
  ScheduleGroup,
  ScheduleTargetInput,
  TimeWindow,
} from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { LockSet } from './alarms/lock-sets.js';
import { allowRules, allowScheduler, type Deliverable, schedulerRole } from './deliveries.js';
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
  /** The key that encrypts its event while Scheduler keeps it. @default a key that AWS owns */
  readonly key?: IKey;
}

/** What invokes a function. */
export type Trigger = Schedule | Rule;

/** A schedule as it is made: below its scope, in its group. */
interface Placed {
  readonly scope: Construct;
  readonly planned: PlannedSchedule;
}

/**
 * Has schedules and rules invoke a function, all with an event of EventBridge's shape. Its `time` is the scheduled time,
 * the same for every delivery of a tick; a clock or the event's id would differ between deliveries.
 */
export function addSchedules(scope: Construct, to: Deliverable, sets: readonly LockSet[]): Trigger[] {
  const placed = sets.flatMap((set) => placedIn(set, scope));
  const scheduled = placed.filter(({ planned }) => planned.via !== 'rule');
  const ownRole = scheduled.some(({ planned }) => !planned.role)
    ? schedulerRole(
        scope,
        scheduled.map(({ planned }) => groupArnOf(planned, scope)),
      )
    : undefined;
  for (const role of new Set(scheduled.flatMap(({ planned }) => planned.role ?? ownRole ?? []))) {
    allowScheduler(role, to);
  }
  const triggers = placed.map(({ scope: below, planned }) =>
    planned.via === 'rule' ? addRule(below, to, planned) : addSchedule(below, to, planned, planned.role ?? ownRole),
  );
  const rules = triggers.filter((trigger) => trigger instanceof Rule);
  if (rules.length > 0)
    allowRules(
      scope,
      rules.map(({ ruleArn }) => ruleArn),
      to,
    );
  return triggers;
}

/** Below the set's group, because CloudFormation cannot move a schedule into a group: there it is another one. */
function placedIn({ schedules, group }: LockSet, scope: Construct): Placed[] {
  // By its `Ref`: CDK's own group is known by its name alone, and a schedule would not wait for it.
  const scheduleGroup = group && ScheduleGroup.fromScheduleGroupName(group, 'Name', group.ref);
  const own = scheduleGroup && { scheduleGroup };
  return schedules.map((planned) => ({ scope: group ?? scope, planned: { ...planned, ...own } }));
}

function groupArnOf({ scheduleGroup }: PlannedSchedule, scope: Construct): string {
  const inDefault = { service: 'scheduler', resource: 'schedule-group', resourceName: 'default' };
  return scheduleGroup?.scheduleGroupArn ?? Stack.of(scope).formatArn(inDefault);
}

function addSchedule(
  scope: Construct,
  { fn, deadLetterQueue }: Deliverable,
  planned: PlannedSchedule,
  role: IRole | undefined,
): Schedule {
  const { id, detail = {}, timeWindow = TimeWindow.off(), role: _, lockName, gaps, via, ...own } = planned;
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
  const bound = { arn: fn.functionArn, role: role as IRole, input, ...deliveryOf(planned, deadLetterQueue) };
  return new Schedule(scope, `Schedule:${id}`, { ...own, timeWindow, target: { bind: () => bound } });
}

function addRule(scope: Construct, { fn, deadLetterQueue }: Deliverable, planned: PlannedSchedule): Rule {
  refuseForRule(planned);
  const { id, schedule, detail, enabled, scheduleName, description } = planned;
  const input = detail && RuleTargetInput.fromObject({ ...RULE_EVENT, detail });
  const bound = { arn: fn.functionArn, ...deliveryOf(planned, deadLetterQueue), ...(input && { input }) };
  return new Rule(scope, `Rule:${id}`, {
    schedule: RuleSchedule.expression(schedule.expressionString),
    enabled,
    ...(scheduleName !== undefined && { ruleName: scheduleName }),
    ...(description !== undefined && { description }),
    targets: [{ bind: () => bound }],
  });
}

/** How often and for how long a delivery is tried, and where it ends, as both CloudFormation resources have it. */
function deliveryOf({ gaps }: PlannedSchedule, { queueArn }: IQueue) {
  const { attempts, maxAgeMs } = deliveryRetries(gaps?.shortestMs ?? Number.POSITIVE_INFINITY);
  return {
    deadLetterConfig: { arn: queueArn },
    retryPolicy: { maximumRetryAttempts: attempts, maximumEventAgeInSeconds: Math.floor(maxAgeMs / 1_000) },
  };
}

/** What only Scheduler can do. */
const SCHEDULERS_OWN = ['scheduleGroup', 'start', 'end', 'role', 'key'] as const;

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
