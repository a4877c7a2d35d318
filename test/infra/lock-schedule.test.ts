import { Duration, TimeZone } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { ScheduleExpression, ScheduleGroup, TimeWindow } from 'aws-cdk-lib/aws-scheduler';
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
const { cron, expression } = ScheduleExpression;
const ANY_TEXT = 'a "b" \\ \n 夜🌙';
/** CDK's own settings that a schedule and a rule have, and what they become. */
const OWN = { enabled: false, scheduleName: 'digest', description: 'Mails it' };
const BECOMES = { State: 'DISABLED', Name: 'digest', Description: 'Mails it' };

const synthesised = (...schedules: LockSchedule[]) => templateOf(digest({ schedules }).stack);
const inBerlin = cron({ minute: '0', hour: '2', timeZone: TimeZone.EUROPE_BERLIN });
const ofAccount = { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } };
const byRule = (options: Partial<LockSchedule> = {}) => synthesised({ schedule, via: 'rule', ...options });

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
    const detail = { text: ANY_TEXT, number: 1.5, yes: true, none: null, list: [1, { deep: '' }] };

    expect(sentBy(synthesised({ schedule, detail })).detail).toEqual(detail);
  });

  test("has CDK's own settings of a schedule, such as its time zone, its time window and its role", () => {
    const stack = appStack();
    const scheduleGroup = new ScheduleGroup(stack, 'Group');
    const role = new Role(stack, 'Mine', { assumedBy: new ServicePrincipal('scheduler.amazonaws.com') });
    const [start, end] = ['2027-01-01', '2027-02-01'].map((day) => new Date(`${day}T00:00:00Z`)) as [Date, Date];
    const timeWindow = TimeWindow.flexible(Duration.minutes(15));
    digest({ schedules: [{ schedule: inBerlin, timeWindow, ...OWN, scheduleGroup, role, start, end }] }, stack);
    const template = templateOf(stack);

    expect(onlyProperties(template, SCHEDULE)).toMatchObject({
      ...BECOMES,
      ScheduleExpressionTimezone: 'Europe/Berlin',
      FlexibleTimeWindow: { Mode: 'FLEXIBLE', MaximumWindowInMinutes: 15 },
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
});

describe("row 75: a schedule with via: 'rule'", () => {
  const event = scheduledEvent({ time: TICK, ruleArn: RULE_ARN });
  const FACTS = { tickMs: TICK_MS, scheduleArn: RULE_ARN };

  test('is a rule that sends its own event, which the library reads, and alone may invoke the function', () => {
    const template = byRule();
    const rule = onlyProperties(template, RULE);
    const [id = ''] = Object.keys(template.findResources(RULE));

    expect(rule).toMatchObject({ ScheduleExpression: 'cron(0 2 * * ? *)', State: 'ENABLED' });
    expect(rule.Targets.map(Object.keys)).toEqual([['Arn', 'DeadLetterConfig', 'Id', 'RetryPolicy']]);
    expect(readScheduleEvent(event)).toEqual(FACTS);
    template.resourceCountIs(SCHEDULE, 0);
    template.hasResourceProperties('AWS::Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      Principal: 'events.amazonaws.com',
      SourceArn: { 'Fn::GetAtt': [id, 'Arn'] },
    });
  });

  test('with a detail sends the same event, with the detail in it', () => {
    const detail = { tenant: 'acme', text: ANY_TEXT, list: [1, null] };
    const sent = transformed(byRule({ detail }), event);

    expect(sent).toEqual({ ...event, detail });
    expect(readScheduleEvent(sent)).toEqual(FACTS);
  });

  test("has CDK's own settings that a rule has too, and takes a time window that is off", () => {
    expect(onlyProperties(byRule({ ...OWN, timeWindow: TimeWindow.off() }), RULE)).toMatchObject(BECOMES);
  });

  test.each(['scheduleGroup', 'start', 'end', 'role', 'key'])("refuses Scheduler's own %s", (option) => {
    expect(() => byRule({ [option]: new Date(TICK) })).toThrow(
      new TypeError(
        `schedule cron(0 2 * * ? *) has '${option}', which a rule does not know; leave it out, or leave out via: 'rule'`,
      ),
    );
  });

  test('row 152: refuses a unit of a rate that Scheduler takes and a rule does not', () => {
    const plural = { schedule: expression('rate(1 hours)') };

    expect(() => byRule(plural)).toThrow(
      new RangeError(
        "schedule is 'rate(1 hours)': EventBridge takes a singular unit with 1 and a plural with more; use rate(1 hour)",
      ),
    );
    expect(() => synthesised(plural)).not.toThrow();
  });

  test.each<[string, Partial<LockSchedule>]>([
    ["cron(0 2 * * ? *) is in time zone 'Europe/Berlin': a rule only knows UTC", { schedule: inBerlin }],
    ['at(2027-01-01T02:00:00) fires once: a rule cannot', { schedule: ScheduleExpression.at(new Date(TICK)) }],
    ['cron(0 2 * * ? *) has a timeWindow: a rule has none', { timeWindow: TimeWindow.flexible(Duration.minutes(15)) }],
  ])('refuses what only Scheduler knows: %s', (problem, options) => {
    expect(() => byRule(options)).toThrow(new TypeError(`schedule ${problem}; leave out via: 'rule'`));
  });

  test('may use the key of a queue for this account alone', () => {
    const stack = appStack();
    const deadLetterQueue = new Queue(stack, 'Mine', { encryptionMasterKey: new Key(stack, 'Key') });
    digest({ deadLetterQueue, schedules: [{ schedule, via: 'rule' }] }, stack);
    const [statement] = onlyProperties(templateOf(stack), 'AWS::KMS::Key').KeyPolicy.Statement.filter(
      ({ Principal }: { Principal: { Service?: string } }) => Principal.Service === 'events.amazonaws.com',
    );

    expect(statement.Condition).toMatchObject({ StringEquals: ofAccount });
  });
});

test('row 75: each of several schedules is the same resource in whatever order, and whichever other one goes', () => {
  const tenants = ['acme', 'globex', 'initech'].map((name) => ({ schedule, lockName: `tenant/${name}` }));
  const byId = (schedules: readonly LockSchedule[]) =>
    templateOf(digest({ schedules, lockNames: ['tenant/*'] }).stack).toJSON()['Resources'];
  const all = byId(tenants);

  expect(byId([...tenants].reverse())).toEqual(all);
  for (const [id, resource] of Object.entries(byId(tenants.slice(1)))) expect(all[id]).toEqual(resource);
});

describe('row 76: who may deliver, by one statement, if a function has several', () => {
  const synthesisedJobs = (count: number, via: 'scheduler' | 'rule') => {
    const lockNames = Array.from({ length: count }, (_, n) => `job-${n}`);
    const schedules = lockNames.map((lockName) => ({ schedule, lockName, via }));
    return templateOf(digest({ schedules, lockNames }).stack);
  };
  const every = (service: string, kind: string) => ({
    'Fn::Join': [
      '',
      ['arn:', { Ref: 'AWS::Partition' }, `:${service}:`, { Ref: 'AWS::Region' }, ':', { Ref: 'AWS::AccountId' }, kind],
    ],
  });

  test('is Scheduler for all groups of the account', () => {
    const roles = Object.entries(synthesisedJobs(7, 'scheduler').findResources('AWS::IAM::Role'));
    const [[, role] = []] = roles.filter(([id]) => id.includes('SchedulerRole'));
    const ArnLike = { 'aws:SourceArn': every('scheduler', ':schedule-group/*') };

    expect(role?.['Properties'].AssumeRolePolicyDocument.Statement).toMatchObject([
      { Condition: { StringEquals: ofAccount, ArnLike } },
    ]);
  });

  test('is EventBridge for all rules of the account', () => {
    const template = synthesisedJobs(20, 'rule');
    const { Statement } = onlyProperties(template, 'AWS::SQS::QueuePolicy').PolicyDocument;
    const sourceArn = every('events', ':rule/*');

    expect(Statement.slice(1)).toMatchObject([
      { Action: 'sqs:SendMessage', Condition: { StringEquals: ofAccount, ArnLike: { 'aws:SourceArn': sourceArn } } },
    ]);
    expect(onlyProperties(template, 'AWS::Lambda::Permission').SourceArn).toEqual(sourceArn);
  });
});
