import { Duration, TimeZone } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Rule } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { type CfnSchedule, ScheduleExpression, ScheduleGroup, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { LockSchedule } from 'single-execution/cdk';
import { scheduledEvent } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { readScheduleEvent } from '../../src/adapters/lambda.js';
import { delivered } from './delivered.js';
import { digest, nightly } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';
import { resolved } from './synthesised-app.js';

const SCHEDULE = 'AWS::Scheduler::Schedule';
const RULE = 'AWS::Events::Rule';
const TICK = '2027-01-01T02:00:00Z';
const TICK_MS = Date.parse(TICK);
const SCHEDULE_ARN = 'arn:aws:scheduler:eu-west-1:123456789012:schedule/default/digest';
const RULE_ARN = 'arn:aws:events:eu-west-1:123456789012:rule/digest';

const schedule = nightly;

const stackOf = (schedules: readonly LockSchedule[], lockNames = ['digest']) => digest({ schedules, lockNames }).stack;
const synthesised = (...schedules: LockSchedule[]) => templateOf(stackOf(schedules));

function onlyProperties(template: Template, type: string) {
  const [properties, ...others] = propertiesOf(template, type);
  expect(others).toEqual([]);
  return properties;
}

/** The event that Scheduler sends at its second attempt. */
function sentBy(template: Template) {
  const pseudo: Record<string, string> = { 'AWS::AccountId': '123456789012', 'AWS::Region': 'eu-west-1' };
  const input = resolved(onlyProperties(template, SCHEDULE).Target.Input, (id) => pseudo[id] ?? `?${id}`);
  return delivered(String(input), { scheduledTime: TICK, scheduleArn: SCHEDULE_ARN, attempt: 2 });
}

/** The event that EventBridge sends: the rule's input, with each `<path>` replaced by the JSON at that path. */
function transformed(template: Template, event: object): unknown {
  const [{ InputTransformer }] = onlyProperties(template, RULE).Targets;
  const at = (path: string): unknown =>
    path
      .replace(/^\$\./, '')
      .split(/[.[\]]+/)
      .filter((key) => key !== '')
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], event);
  const text = InputTransformer.InputTemplate.replace(/<([\w-]+)>/g, (_: string, key: string) =>
    JSON.stringify(at(InputTransformer.InputPathsMap[key])),
  );
  return JSON.parse(text);
}

// test/infra/templates compares its defaults, its dead-letter queue and its role with four templates.
describe('row 75: a schedule of EventBridge Scheduler', () => {
  test('row 75: sends an event of the shape of a rule, with what Scheduler alone knows beside it, which the library reads', () => {
    const event = sentBy(synthesised({ schedule }));

    expect(readScheduleEvent(event)).toEqual({ tickMs: TICK_MS, scheduleArn: SCHEDULE_ARN, attempt: 2 });
    expect(event).toEqual({
      version: '0',
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      'detail-type': 'Scheduled Event',
      source: 'aws.scheduler',
      account: '123456789012',
      region: 'eu-west-1',
      time: TICK,
      resources: [SCHEDULE_ARN],
      detail: {},
      scheduledTime: TICK,
      scheduleArn: SCHEDULE_ARN,
      attemptNumber: '2',
    });
  });

  test('row 75: passes values of every kind on as the detail', () => {
    const detail = { text: 'a "b" \\ \n 夜🌙', number: 1.5, yes: true, none: null, list: [1, { deep: '' }] };

    expect(sentBy(synthesised({ schedule, detail })).detail).toEqual(detail);
  });

  test('row 75: keeps its time zone and its time window', () => {
    const timeZone = TimeZone.EUROPE_BERLIN;
    const timeWindow = TimeWindow.flexible(Duration.minutes(15));

    synthesised({
      schedule: ScheduleExpression.cron({ minute: '0', hour: '2', timeZone }),
      timeWindow,
    }).hasResourceProperties(SCHEDULE, {
      ScheduleExpressionTimezone: 'Europe/Berlin',
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
    });
  });

  test("has CDK's own settings of a schedule", () => {
    const stack = appStack();
    const scheduleGroup = new ScheduleGroup(stack, 'Group');
    const role = new Role(stack, 'Mine', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
    const [start, end] = ['2027-01-01', '2027-02-01'].map((day) => new Date(`${day}T00:00:00Z`)) as [Date, Date];
    const own = { enabled: false, scheduleName: 'digest', description: 'Mails it', scheduleGroup, role, start, end };
    const template = templateOf(digest({ schedules: [{ schedule, ...own }] }, stack).stack);

    expect(onlyProperties(template, SCHEDULE)).toMatchObject({
      State: 'DISABLED',
      Name: 'digest',
      Description: 'Mails it',
      GroupName: stack.resolve(scheduleGroup.scheduleGroupName),
      StartDate: '2027-01-01T00:00:00.000Z',
      EndDate: '2027-02-01T00:00:00.000Z',
      Target: { RoleArn: stack.resolve(role.roleArn) },
    });
    template.hasResourceProperties('AWS::IAM::Policy', {
      Roles: [stack.resolve(role.roleName)],
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Action: 'lambda:InvokeFunction' }),
          Match.objectLike({ Action: 'sqs:SendMessage' }),
        ],
      },
    });
  });

  test('keeps its event encrypted with a key, which its role may use', () => {
    const stack = appStack();
    const key = new Key(stack, 'Key');
    const template = templateOf(digest({ schedules: [{ schedule, key }] }, stack).stack);

    expect(onlyProperties(template, SCHEDULE).KmsKeyArn).toEqual(stack.resolve(key.keyArn));
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('SchedulerRole'),
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike({ Action: 'kms:Decrypt' })]) },
    });
  });

  test('is reachable for what has no property here', () => {
    const fn = digest({ schedules: [{ schedule }] });
    const [trigger] = fn.execution.triggers;
    const resource = trigger?.node.defaultChild as CfnSchedule;
    resource.addPropertyOverride('State', 'DISABLED');

    expect(onlyProperties(templateOf(fn.stack), SCHEDULE).State).toBe('DISABLED');
  });
});

describe("row 75: a schedule with via: 'rule'", () => {
  const event = scheduledEvent({ time: TICK, ruleArn: RULE_ARN });
  const FACTS = { tickMs: TICK_MS, scheduleArn: RULE_ARN };

  test('row 75: is a rule that sends its own event, which the library reads', () => {
    const { Targets } = onlyProperties(synthesised({ schedule, via: 'rule' }), RULE);

    expect(Targets.map(Object.keys)).toEqual([['Arn', 'DeadLetterConfig', 'Id', 'RetryPolicy']]);
    expect(readScheduleEvent(event)).toEqual(FACTS);
  });

  test('row 75: with a detail sends the same event, with the detail in it', () => {
    const detail = { tenant: 'acme', text: 'a "b" \\ \n 夜🌙', list: [1, null] };
    const sent = transformed(synthesised({ schedule, via: 'rule', detail }), event);

    expect(sent).toEqual({ ...event, detail });
    expect(readScheduleEvent(sent)).toEqual(FACTS);
  });

  test('row 75: may invoke the function, by itself alone', () => {
    const template = synthesised({ schedule, via: 'rule' });
    const [rule = ''] = Object.keys(template.findResources(RULE));

    template.resourceCountIs(SCHEDULE, 0);
    template.hasResourceProperties(RULE, { ScheduleExpression: 'cron(0 2 * * ? *)', State: 'ENABLED' });
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [rule, 'Arn'] },
    });
  });

  test("has CDK's own settings that a rule has too", () => {
    const own = { enabled: false, scheduleName: 'digest', description: 'Mails it' };
    const rule = { State: 'DISABLED', Name: 'digest', Description: 'Mails it' };

    expect(onlyProperties(synthesised({ schedule, via: 'rule', ...own }), RULE)).toMatchObject(rule);
  });

  test('is reachable for what has no property here', () => {
    const fn = digest({ schedules: [{ schedule, via: 'rule' }] });

    expect(fn.execution.triggers).toEqual([expect.any(Rule)]);
  });

  test.each(['scheduleGroup', 'start', 'end', 'role', 'key'])("refuses Scheduler's own %s", (option) => {
    expect(() => stackOf([{ schedule, via: 'rule', [option]: new Date(TICK) }])).toThrow(
      new TypeError(
        `schedule cron(0 2 * * ? *) has '${option}', which a rule does not know; leave it out, or leave out via: 'rule'`,
      ),
    );
  });

  test('row 75: takes universal time and a time window that is off', () => {
    expect(() => stackOf([{ schedule, via: 'rule', timeWindow: TimeWindow.off() }])).not.toThrow();
  });

  test('row 152: refuses a unit of a rate that Scheduler takes and a rule does not', () => {
    const plural = { schedule: ScheduleExpression.expression('rate(1 hours)') };

    expect(() => stackOf([{ ...plural, via: 'rule' }])).toThrow(
      new RangeError(
        "schedule is 'rate(1 hours)': EventBridge takes a singular unit with 1 and a plural with more; use rate(1 hour)",
      ),
    );
    expect(() => stackOf([plural])).not.toThrow();
  });

  const inBerlin = ScheduleExpression.cron({ minute: '0', hour: '2', timeZone: TimeZone.EUROPE_BERLIN });

  test.each<[string, LockSchedule, string]>([
    [
      'a time zone',
      { schedule: inBerlin },
      "schedule cron(0 2 * * ? *) is in time zone 'Europe/Berlin': a rule only knows UTC; leave out via: 'rule'",
    ],
    [
      'a date',
      { schedule: ScheduleExpression.at(new Date(TICK)) },
      "schedule at(2027-01-01T02:00:00) fires once: a rule cannot; leave out via: 'rule'",
    ],
    [
      'a time window',
      { schedule, timeWindow: TimeWindow.flexible(Duration.minutes(15)) },
      "schedule cron(0 2 * * ? *) has a timeWindow: a rule has none; leave out via: 'rule'",
    ],
  ])('row 75: refuses %s', (_, options, message) => {
    expect(() => stackOf([{ ...options, via: 'rule' }])).toThrow(new TypeError(message));
  });
});

describe('row 75: of several schedules', () => {
  const tenants = ['acme', 'globex', 'initech'].map((name) => ({ schedule, lockName: `tenant/${name}` }));
  const byId = (schedules: readonly LockSchedule[]) =>
    templateOf(stackOf(schedules, ['tenant/*'])).toJSON()['Resources'];

  test('row 75: each is the same resource in whatever order they are given', () => {
    expect(byId([...tenants].reverse())).toEqual(byId(tenants));
  });

  test('row 75: none changes when another one goes', () => {
    const all = byId(tenants);

    for (const [id, resource] of Object.entries(byId(tenants.slice(1)))) expect(all[id]).toEqual(resource);
  });

  test('row 75: those of one lock are resources of their own, and a new last one changes none', () => {
    const three = [1, 2, 3].map((hours) => ({ schedule: ScheduleExpression.rate(Duration.hours(hours)) }));
    const two = three.slice(0, 2);
    const [before, after] = [two, three].map((schedules) => synthesised(...schedules).findResources(SCHEDULE));

    expect(Object.keys(before ?? {})).toHaveLength(2);
    expect(Object.keys(after ?? {})).toHaveLength(3);
    expect(after).toMatchObject(before ?? {});
  });
});

test('a rule may use the key of a queue for this account alone', () => {
  const stack = appStack();
  const key = new Key(stack, 'Key');
  const deadLetterQueue = new Queue(stack, 'Mine', { encryptionMasterKey: key });
  const template = templateOf(digest({ deadLetterQueue, schedules: [{ schedule, via: 'rule' }] }, stack).stack);
  const [statement] = onlyProperties(template, 'AWS::KMS::Key').KeyPolicy.Statement.filter(
    ({ Principal }: { Principal: { Service?: string } }) => Principal.Service === 'events.amazonaws.com',
  );

  expect(statement.Condition).toMatchObject({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } });
});

describe('row 76: who may deliver', () => {
  const synthesisedJobs = (count: number, via: LockSchedule['via'] & string) => {
    const lockNames = Array.from({ length: count }, (_, n) => `job-${n}`);
    const schedules = lockNames.map((lockName) => ({ schedule, lockName, via }));
    return templateOf(stackOf(schedules, lockNames));
  };
  const trustOf = (template: Template) => {
    const roles = Object.entries(template.findResources('AWS::IAM::Role'));
    const [[, role] = []] = roles.filter(([id]) => id.includes('SchedulerRole'));
    return role?.['Properties'].AssumeRolePolicyDocument.Statement;
  };
  const every = (service: string, kind: string) => ({
    'Fn::Join': [
      '',
      ['arn:', { Ref: 'AWS::Partition' }, `:${service}:`, { Ref: 'AWS::Region' }, ':', { Ref: 'AWS::AccountId' }, kind],
    ],
  });
  const ofAccount = { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } };

  test('row 76: is Scheduler for all groups of the account, by one statement, if a function has several', () => {
    expect(trustOf(synthesisedJobs(7, 'scheduler'))).toMatchObject([
      {
        Condition: {
          StringEquals: ofAccount,
          ArnLike: { 'aws:SourceArn': every('scheduler', ':schedule-group/*') },
        },
      },
    ]);
  });

  test('row 76: is EventBridge for all rules of the account, by one statement, if a function has several', () => {
    const template = synthesisedJobs(20, 'rule');
    const { Statement } = onlyProperties(template, 'AWS::SQS::QueuePolicy').PolicyDocument;
    const sourceArn = every('events', ':rule/*');

    expect(Statement.slice(1)).toMatchObject([
      { Action: 'sqs:SendMessage', Condition: { StringEquals: ofAccount, ArnLike: { 'aws:SourceArn': sourceArn } } },
    ]);
    expect(onlyProperties(template, 'AWS::Lambda::Permission').SourceArn).toEqual(sourceArn);
  });
});
