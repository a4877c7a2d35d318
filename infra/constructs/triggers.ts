import { Stack } from 'aws-cdk-lib';
import { EventField, Rule, Schedule as RuleSchedule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import type { Grant, IRole } from 'aws-cdk-lib/aws-iam';
import { ContextAttribute, Schedule, ScheduleGroup, ScheduleTargetInput, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { readEventBridge } from '../../src/schedule/eventbridge.js';
import type { LockSet } from './alarms/lock-sets.js';
import { allowRules, allowScheduler, type Deliverable, schedulerRole } from './deliveries.js';
import { grantKeyUse, importedAlias } from './key-rights.js';
import type { PlannedSchedule } from './planned-schedule.js';
import { deliveryRetries } from './retry-settings.js';
import { isUtc } from './run-gaps.js';

/** A schedule or a rule that invokes a function. */
export type Trigger = Schedule | Rule;

/** A schedule with its group, and the scope that it is made in. */
interface Placed {
  readonly scope: Construct;
  readonly planned: PlannedSchedule;
}

/**
 * Makes the schedules and rules that invoke a function. They all send an event in EventBridge's form. The `time` of the
 * event is the scheduled time, the same for every delivery of a tick; a clock's time or the event's id would differ
 * between deliveries.
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
  const rights = new Map<IRole | undefined, Grant>();
  for (const role of new Set(scheduled.flatMap(({ planned }) => planned.role ?? ownRole ?? []))) {
    rights.set(role, allowScheduler(role, to));
  }
  const triggers = placed.map(({ scope: below, planned }) => {
    if (planned.via === 'rule') return addRule(below, to, planned);
    const role = planned.role ?? ownRole;
    const schedule = addSchedule(below, to, planned, role);
    // A tick that is due before the role has its rights would be lost.
    rights.get(role)?.applyBefore(schedule);
    if (role && planned.key && importedAlias(planned.key) !== undefined) grantKeyUse(to.fn, planned.key, role);
    return schedule;
  });
  const rules = triggers.filter((trigger) => trigger instanceof Rule);
  const ruleArns = rules.map(({ ruleArn }) => ruleArn);
  const queuePolicy = rules.length > 0 ? allowRules(scope, ruleArns, to) : undefined;
  if (queuePolicy) for (const rule of rules) rule.node.addDependency(queuePolicy);
  return triggers;
}

/**
 * Puts the schedules of a set below the set's group. CloudFormation cannot move a schedule into a group, so a schedule
 * that gets a group must get another id, and become another resource.
 */
function placedIn({ schedules, group }: LockSet, scope: Construct): Placed[] {
  // Use the group's `Ref`: with the plain name that CDK's `ScheduleGroup` gives, a schedule would not wait for its
  // group.
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
    // A rule's event does not have these attributes. The names are Scheduler's own.
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

/**
 * Returns the retries of a delivery and its dead-letter queue, in the form that the resources of schedules and of rules
 * share.
 */
function deliveryOf({ gaps }: PlannedSchedule, { queueArn }: IQueue) {
  const { attempts, maxAgeMs } = deliveryRetries(gaps?.shortestMs ?? Number.POSITIVE_INFINITY);
  return {
    deadLetterConfig: { arn: queueArn },
    retryPolicy: { maximumRetryAttempts: attempts, maximumEventAgeInSeconds: Math.floor(maxAgeMs / 1_000) },
  };
}

/** Options that only Scheduler has. */
const SCHEDULERS_OWN = ['scheduleGroup', 'start', 'end', 'role', 'key'] as const;

function refuseForRule(planned: PlannedSchedule): void {
  const { schedule, timeWindow, detail } = planned;
  const { expressionString, timeZone } = schedule;
  if (!isUtc(schedule)) {
    throw new TypeError(
      `schedule ${expressionString} is in time zone '${timeZone?.timezoneName}': a rule only knows UTC; leave out via: 'rule'`,
    );
  }
  // Scheduler takes rate(1 hours), a rule does not.
  readEventBridge(expressionString, (problem) => {
    throw new RangeError(`schedule is '${expressionString}': ${problem}`);
  });
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

/** A rule's default event. A custom input replaces the whole event, so all its fields are listed here. */
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
