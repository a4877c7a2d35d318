import { readFileSync } from 'node:fs';
import { Duration, type Stack } from 'aws-cdk-lib';
import type { Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type {
  LockAlarmKind,
  LockAlarmsOptions,
  SingleExecutionFunction,
  SingleExecutionFunctionProps,
} from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { LOCK_ALARMS } from '../../infra/constructs/alarms/alarm-options.js';
import { digest, nightly } from './digest.js';
import { appStack, templateOf, warningsOf } from './synthesised.js';

type Props = Partial<SingleExecutionFunctionProps>;

const ALARM = 'AWS::CloudWatch::Alarm';
const { rate, at, cron } = ScheduleExpression;
const KINDS = Object.keys(LOCK_ALARMS) as LockAlarmKind[];

const alarmsOf = (template: Template) =>
  Object.entries(template.findResources(ALARM)).map(([id, { Properties }]) => ({ id, ...Properties }));

function alarmsOfKind({ stack, alarms }: SingleExecutionFunction, kind: LockAlarmKind) {
  const ids = alarms.of(kind).map((alarm) => stack.getLogicalId(alarm.node.defaultChild as never));
  return alarmsOf(templateOf(stack)).filter(({ id }) => ids.includes(id));
}

const ofKind = (kind: LockAlarmKind, props: Props = {}, stack = appStack()) => alarmsOfKind(digest(props, stack), kind);
const kindsOf = ({ alarms }: SingleExecutionFunction) => KINDS.filter((kind) => alarms.of(kind).length > 0);
const groupOf = (stack: Stack) => ({ scheduleGroup: ScheduleGroup.fromScheduleGroupName(stack, 'Group', 'jobs') });

// test/infra/templates checks the default settings of each alarm: it compares them with four templates of other tools.
test('row 77: an alarm on a number has the settings that its user gives', () => {
  const alarms = { longRun: { threshold: 60_000 }, failed: { threshold: 3, evaluationPeriods: 4 } };

  expect(ofKind('longRun', { alarms })).toMatchObject([{ Threshold: 60_000, DatapointsToAlarm: 1 }]);
  expect(ofKind('failed', { alarms })).toMatchObject([{ Threshold: 3, EvaluationPeriods: 4, DatapointsToAlarm: 4 }]);
});

test('row 77: each alarm has a heading of its name in docs/on-call.md, and its description leads there', () => {
  const page = readFileSync(new URL('../../docs/on-call.md', import.meta.url), 'utf8');
  const [, section = ''] = /\n## Alarms\n(.*?)\n## /s.exec(page) ?? [];
  const headings = [...section.matchAll(/^### (.*)$/gm)].map(([, heading = '']) => heading);
  const { alarms, stack } = digest();
  const ids = alarms.all.map(({ node }) => node.id.replace(/:.*/, ''));
  const descriptions = alarmsOf(templateOf(stack)).map(({ AlarmDescription }) => AlarmDescription);

  expect([...headings].sort()).toEqual([...new Set(ids)].sort());
  expect(descriptions.map((text) => /docs\/on-call\.md#(\w+) of single-execution\.$/.exec(text)?.[1]).sort()).toEqual(
    ids.map((id) => id.toLowerCase()).sort(),
  );
});

describe('row 77: an alarm on a tick that was not done, or not sent', () => {
  const waiting = (kind: 'didNotRun' | 'notTriggered', wait: Duration): Props => ({
    alarms: { [kind]: { after: wait } },
  });
  const timeout = Duration.minutes(15);

  test.each<[string, Props, number]>([
    ['a run', { timeout, retryAttempts: 0 }, 1 + 15 + 5],
    ['as many retries as the function has', { timeout, retryAttempts: 2 }, 1 + 15 + 16 + 17 + 5],
    ['longer, if asked to', waiting('didNotRun', Duration.hours(2)), 120],
    ['whole minutes', waiting('didNotRun', Duration.seconds(3_601)), 61],
    ['a day at most', waiting('didNotRun', Duration.days(1)), 1_440],
  ])('DidNotRun waits for %s', (_, props, periods) => {
    expect(ofKind('didNotRun', props)).toMatchObject([{ EvaluationPeriods: periods }]);
  });

  test('NotTriggered waits for longer, if asked to', () => {
    const [alarm] = ofKind('notTriggered', waiting('notTriggered', Duration.days(3)));

    expect(alarm?.['Threshold']).toBeGreaterThanOrEqual(3 * 86_400);
  });

  test.each<['didNotRun' | 'notTriggered', Duration, string]>([
    ['didNotRun', Duration.minutes(11), 'a run and its retries can take 12 minutes; raise it, or leave it out'],
    ['didNotRun', Duration.seconds(86_401), 'an alarm looks back 1 day at most; lower it'],
    [
      'notTriggered',
      Duration.hours(24),
      'ticks and their runs can be 1 day 7 minutes apart; raise it, or leave it out',
    ],
    ['notTriggered', Duration.days(7), 'an alarm looks back less than 7 days; lower it, or set notTriggered: false'],
  ])('%s is refused after %s', (kind, wait, problem) => {
    expect(() => digest(waiting(kind, wait))).toThrow(
      new RangeError(`alarms.${kind}.after is ${wait.toHumanString()}: ${problem}`),
    );
  });

  const oneOfTwo = (via: 'rule' | 'scheduler'): Props => ({
    lockNames: ['digest', 'other'],
    schedules: [{ schedule: nightly, lockName: 'digest', via }],
  });

  test.each<[string, (stack: Stack) => Props, string | undefined]>([
    ['a rule', () => ({ schedules: [{ schedule: nightly, via: 'rule' }] }), 'executed + errors'],
    [
      "a group that somebody gave, which may have others' schedules",
      (stack) => ({ schedules: [{ schedule: nightly, ...groupOf(stack) }] }),
      'executed + errors',
    ],
    [
      'a schedule that fires once',
      () => ({ schedules: [{ schedule: at(new Date('2027-01-01')) }] }),
      'attempted + executed + IF(errors, errors)',
    ],
    ['one of several locks, whose errors are not its own', () => oneOfTwo('scheduler'), 'attempted + executed'],
    ['one of several locks, by a rule', () => oneOfTwo('rule'), undefined],
    ['a schedule that is off', () => ({ schedules: [{ schedule: nightly, enabled: false }] }), undefined],
  ])('DidNotRun of %s has news of what can be told apart', (_, propsIn, news) => {
    const stack = appStack();
    const [alarm] = ofKind('didNotRun', propsIn(stack), stack);

    expect(alarm?.['Metrics'][0].Expression).toBe(news && `FILL(IF(${news}, executed + errors, 0), REPEAT)`);
  });

  test('NotTriggered goes by invocations of the function, if deliveries cannot be distinguished', () => {
    const [alarm] = ofKind('notTriggered', { schedules: [{ schedule: nightly, via: 'rule' }] });

    expect(alarm?.['Metrics'][1].Expression).toBe('FILL(IF(invoked, EPOCH(invoked)), REPEAT)');
  });

  test('NotTriggered of several schedules goes by the one that fires most often', () => {
    const schedules = [{ schedule: nightly }, { schedule: rate(Duration.hours(1)) }];

    expect(ofKind('notTriggered', { schedules })[0]?.['Threshold']).toBeLessThan(2 * 3_600);
  });

  test.each<[string, ScheduleExpression, string | undefined]>([
    ['once', at(new Date('2027-01-01T02:00:00Z')), undefined],
    ['each week', rate(Duration.days(7)), 'rate(7 days) can be 7 days apart'],
    ['each month', cron({ minute: '0', hour: '2', day: '1' }), 'cron(0 2 1 * ? *) can be 31 days apart'],
  ])('NotTriggered is none for a schedule that fires %s; synthesis says so where one is due', (_, schedule, apart) => {
    const { alarms, stack } = digest({ schedules: [{ schedule }] });

    expect([alarms.of('notTriggered').length, alarms.of('didNotRun').length]).toEqual([0, 1]);
    expect(warningsOf(stack)).toEqual(
      apart === undefined
        ? []
        : [
            `${apart}, and an alarm looks back 7 at most: nothing reports that no tick of lock "digest" was sent; a tick that was sent and not done is still reported [ack: single-execution:not-triggered:digest]`,
          ],
    );
  });

  test('DidNotRun is none for several locks in a group that somebody gave; synthesis says so', () => {
    const stack = appStack();
    const lockNames = ['a', 'b'];
    const group = groupOf(stack);
    digest({ lockNames, schedules: lockNames.map((lockName) => ({ schedule: nightly, lockName, ...group })) }, stack);

    expect(warningsOf(stack)).toEqual(
      lockNames.map(
        (name) =>
          `no alarm reports that a tick of lock "${name}" was not done: its function has other locks too, and deliveries are told apart by the schedule group of each lock; leave out scheduleGroup and via: 'rule', use a function for this lock only, or set alarms: { didNotRun: false } [ack: single-execution:did-not-run:${name}]`,
      ),
    );
  });

  test('synthesis says nothing where the user does without that alarm', () => {
    expect(warningsOf(digest({ ...oneOfTwo('rule'), alarms: { didNotRun: false } }).stack)).toEqual([]);
  });
});

describe('row 77: locks of one prefix', () => {
  const tenants = ['acme', 'globex', 'initech'].map((name) => ({ schedule: nightly, lockName: `tenant/${name}` }));

  test('have one set of alarms, one group of schedules and one set of metrics', () => {
    const { stack, alarms, execution } = digest({ lockNames: ['tenant/*'], schedules: tenants });
    const template = templateOf(stack);

    expect(KINDS.map((kind) => [kind, alarms.of(kind).length])).toEqual(KINDS.map((kind) => [kind, 1]));
    template.resourceCountIs('AWS::Scheduler::ScheduleGroup', 1);
    expect(execution.environment['SINGLE_EXECUTION_LOCK_SETS']).toBe('["tenant/*"]');
    expect(JSON.stringify(alarmsOf(template))).toContain('{"Name":"LockName","Value":"tenant/*"}');
  });

  test('and another lock are two sets, and a lock belongs to its longest prefix', () => {
    const schedules = [
      ...tenants,
      ...['tenant/eu/acme', 'digest'].map((lockName) => ({ schedule: nightly, lockName })),
    ];
    const { alarms, execution } = digest({ lockNames: ['tenant/*', 'digest', 'tenant/eu/*'], schedules });

    expect(execution.lockSets.map(({ name, schedules: own }) => [name, own.length])).toEqual([
      ['tenant/*', 3],
      ['tenant/eu/*', 1],
      ['digest', 1],
    ]);
    expect([alarms.of('didNotRun').length, alarms.of('lockLost').length]).toEqual([3, 1]);
  });
});

describe('row 77: the receivers of the alarms', () => {
  /** For each kind, whom its alarm tells that it goes off, and whom that it ends. */
  const told = (options: (topic: (name: string) => SnsAction[]) => Props) => {
    const stack = appStack();
    const topics: Record<string, SnsAction[]> = {};
    const topic = (name: string) => {
      topics[name] ??= [new SnsAction(new Topic(stack, name))];
      return topics[name];
    };
    const fn = digest(options(topic), stack);
    const names = (refs: { Ref: string }[] = []) => refs.map(({ Ref }) => Ref.slice(0, -8)).join();
    return Object.fromEntries(
      KINDS.map((kind) => {
        const [alarm] = alarmsOfKind(fn, kind);
        return [kind, alarm && [names(alarm['AlarmActions']), names(alarm['OKActions'])].join(' ')];
      }),
    );
  };

  test('are somebody to wake or somebody to mail, of the alarm and, with notifyOk, of its end', () => {
    const all = told((topic) => ({ alarms: { notifyOk: true, page: topic('Page'), ticket: topic('Ticket') } }));

    expect(all).toEqual({
      deadLetters: 'Page Page',
      deadLettersLost: 'Page Page',
      didNotRun: 'Page Page',
      notTriggered: 'Page Page',
      lockLost: 'Page Page',
      failed: 'Ticket Ticket',
      longRun: 'Ticket Ticket',
      clockSkew: 'Ticket Ticket',
    });
  });

  test('are alarmActions, where alarms names nobody; a severity can be another one', () => {
    const tuned: LockAlarmsOptions = { lockLost: { severity: 'ticket' }, failed: { severity: 'page' } };
    const all = told((topic) => ({ alarmActions: topic('Ops'), alarms: { ...tuned, page: topic('Page') } }));

    expect(all).toMatchObject({ deadLetters: 'Page ', lockLost: 'Ops ', failed: 'Page ', longRun: 'Ops ' });
  });

  test('are nobody unless somebody is named', () => {
    expect(Object.values(told(() => ({})))).toEqual(KINDS.map(() => ' '));
  });
});

describe('row 77: which alarms are made', () => {
  test('is every kind that is not turned off', () => {
    const stack = appStack();
    const made = KINDS.map((off) => digest({ lockNames: [off], alarms: { [off]: false } }, stack, off));

    expect(made.map(kindsOf)).toEqual(KINDS.map((off) => KINDS.filter((kind) => kind !== off)));
    expect(made.map(({ alarms }) => alarms.all.length)).toEqual(KINDS.map(() => KINDS.length - 1));
    expect(digest({ lockNames: ['none'], alarms: false }, stack, 'None').alarms.all).toEqual([]);
    templateOf(stack).resourceCountIs(ALARM, KINDS.length * (KINDS.length - 1));
  });

  test.each<[LockAlarmsOptions, Props, LockAlarmKind[]]>([
    [{}, {}, KINDS],
    [{ level: 'all' }, {}, KINDS],
    [{ level: 'essential' }, {}, ['didNotRun', 'failed']],
    [{ level: 'fleet' }, {}, ['deadLetters']],
    // Here no dead letter reports the same.
    [{ level: 'essential' }, { retryAttempts: 0 }, ['didNotRun', 'failed']],
    [{ level: 'essential', lockLost: {}, failed: false }, {}, ['didNotRun', 'lockLost']],
  ])('by %j with %j is %j', (alarms, props, kinds) => {
    expect(kindsOf(digest({ alarms, ...props }))).toEqual(kinds);
  });

  test.each<[string, number, (stack: Stack) => Props]>([
    ['deadLetters reports the same', 0, () => ({})],
    ['it is asked for', 1, () => ({ alarms: { failed: {} } })],
    ['runs end in a queue', 0, (stack) => ({ onFailure: new SqsDestination(new Queue(stack, 'Elsewhere')) })],
    ['runs end elsewhere', 1, (stack) => ({ onFailure: new SnsDestination(new Topic(stack, 'Elsewhere')) })],
  ])('where nothing is tried again and %s, has failed: %i', (_, count, propsIn) => {
    const stack = appStack();

    expect(digest({ retryAttempts: 0, ...propsIn(stack) }, stack).alarms.of('failed')).toHaveLength(count);
  });

  test.each([0, 1.5, 289, Number.NaN])('for %d periods is refused', (evaluationPeriods) => {
    expect(() => digest({ alarms: { longRun: { evaluationPeriods } } })).toThrow(
      new RangeError(`alarms.longRun.evaluationPeriods is ${evaluationPeriods}: pass a whole number from 1 to 288`),
    );
  });

  test.each<[unknown, string]>([
    [
      { didNotRan: false },
      "alarms has 'didNotRan': pass level, page, ticket, notifyOk or a kind of deadLetters, deadLettersLost, didNotRun, notTriggered, lockLost, failed, longRun, clockSkew",
    ],
    [
      { failed: { treshold: 2 } },
      "alarms.failed has 'treshold': pass severity, threshold, evaluationPeriods, or false",
    ],
    [{ didNotRun: { threshold: 2 } }, "alarms.didNotRun has 'threshold': pass severity, after, or false"],
    [{ level: 'some' }, "alarms.level is 'some': choose 'all', 'essential', 'fleet'"],
    [{ failed: { severity: 'email' } }, "alarms.failed.severity is 'email': choose 'page' or 'ticket'"],
  ])('by an option that does not exist is refused: %j', (alarms, message) => {
    expect(() => digest({ alarms: alarms as LockAlarmsOptions })).toThrow(new TypeError(message));
  });
});

describe('row 77: functions that use a queue share', () => {
  /** The alarms on the queue of three functions. */
  const onQueue = (propsOf: (n: number) => Props) => {
    const stack = appStack();
    const deadLetterQueue = new Queue(stack, 'DeadLetters');
    const functions = [1, 2, 3].map((n) =>
      digest({ lockNames: [`job-${n}`], deadLetterQueue, ...propsOf(n) }, stack, `Job${n}`),
    );
    expect(new Set(functions.flatMap((fn) => fn.alarms.of('deadLetters'))).size).toBeLessThan(3);
    return alarmsOf(templateOf(stack)).filter(({ MetricName }) => MetricName === 'ApproximateNumberOfMessagesVisible');
  };
  const actionOf = (alarmActionArn: string) => ({ bind: () => ({ alarmActionArn }) });

  test('its alarm, which names them, and notifies everybody once', () => {
    expect(onQueue((n) => ({ alarmActions: [actionOf(n === 1 ? 'Night' : 'Day')] }))).toMatchObject([
      {
        AlarmDescription:
          'Jobs/Job1, Jobs/Job2 and 1 more: a tick was given up after all retries. The message in the queue has its event and the reason. What to do: docs/on-call.md#deadletters of single-execution.',
        AlarmActions: ['Night', 'Day'],
      },
    ]);
  });

  test('no alarm that is tuned in another way', () => {
    const alarms = onQueue((n) => ({ alarms: { deadLetters: { threshold: n === 3 ? 5 : 1 } } }));

    expect(alarms.map(({ Threshold }) => Threshold)).toEqual([1, 5]);
  });
});
