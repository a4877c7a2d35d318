import { readFileSync } from 'node:fs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Annotations, Match, type Template } from 'aws-cdk-lib/assertions';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { ScheduleExpression, ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  type LockAlarmKind,
  LockAlarmLevel,
  type LockAlarmsOptions,
  LockTable,
  SingleExecutionFunction,
  type SingleExecutionFunctionProps,
} from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { LOCK_ALARMS } from '../../infra/constructs/alarms/alarm-options.js';
import { digest, HANDLER, nightly } from './digest.js';
import { appStack, templateOf } from './synthesised.js';

const ALARM = 'AWS::CloudWatch::Alarm';
const { rate, at } = ScheduleExpression;
const KINDS = Object.keys(LOCK_ALARMS) as LockAlarmKind[];

const alarmsOf = (template: Template) =>
  Object.entries(template.findResources(ALARM)).map(([id, { Properties }]) => ({ id, ...Properties }));

function alarmsOfKind({ stack, alarms }: SingleExecutionFunction, kind: LockAlarmKind) {
  const ids = alarms.of(kind).map((alarm) => stack.getLogicalId(alarm.node.defaultChild as never));
  return alarmsOf(templateOf(stack)).filter(({ id }) => ids.includes(id));
}

const ofKind = (kind: LockAlarmKind, props: Partial<SingleExecutionFunctionProps> = {}, stack = appStack()) =>
  alarmsOfKind(digest(props, stack), kind);

const expressionOf = (alarm: ReturnType<typeof ofKind>[number] | undefined): string => alarm?.['Metrics'][0].Expression;
const warningsOf = (stack: Stack) => Annotations.fromStack(stack).findWarning('*', Match.anyValue());

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
  const stack = appStack();
  const { alarms } = digest({}, stack);
  const ids = alarms.all.map(({ node }) => node.id.replace(/:.*/, ''));
  const descriptions = alarmsOf(templateOf(stack)).map(({ AlarmDescription }) => AlarmDescription);

  expect([...headings].sort()).toEqual([...new Set(ids)].sort());
  expect(descriptions.map((text) => /docs\/on-call\.md#(\w+) of single-execution\.$/.exec(text)?.[1]).sort()).toEqual(
    ids.map((id) => id.toLowerCase()).sort(),
  );
});

describe('row 77: the alarm that a tick was sent and not done', () => {
  test('row 77: waits for as many retries as the function has, or for longer if asked to', () => {
    const timeout = Duration.minutes(15);
    const waits = (props: Partial<SingleExecutionFunctionProps>) =>
      ofKind('didNotRun', { timeout, ...props })[0]?.['EvaluationPeriods'];

    expect(waits({ retryAttempts: 0 })).toBe(1 + 15 + 5);
    expect(waits({ retryAttempts: 2 })).toBe(1 + 15 + 16 + 17 + 5);
    expect(waits({ retryAttempts: 0, alarms: { didNotRun: { after: Duration.hours(2) } } })).toBe(120);
    expect(() => waits({ retryAttempts: 0, alarms: { didNotRun: { after: Duration.minutes(20) } } })).toThrow(
      new RangeError(
        'alarms.didNotRun.after is 20 minutes: a run and its retries can take 21 minutes; raise it, or leave it out',
      ),
    );
  });

  test('row 77: waits for whole minutes, and for a day at most', () => {
    const waits = (after: Duration) =>
      ofKind('didNotRun', { alarms: { didNotRun: { after } } })[0]?.['EvaluationPeriods'];

    expect(waits(Duration.seconds(3_601))).toBe(61);
    expect(waits(Duration.days(1))).toBe(1_440);
    expect(() => waits(Duration.seconds(86_401))).toThrow(
      new RangeError('alarms.didNotRun.after is 1 day 1 second: an alarm looks back 1 day at most; lower it'),
    );
  });

  test('row 77: has a description that CloudWatch takes, however many schedules a prefix has', () => {
    const schedules = Array.from({ length: 60 }, (_, minute) => ({
      schedule: ScheduleExpression.cron({ minute: String(minute), hour: '2' }),
      lockName: `tenant/${minute}`,
    }));
    const [alarm] = ofKind('didNotRun', { lockNames: ['tenant/*'], schedules });

    expect(alarm?.['AlarmDescription']).toMatch(
      /^Lock "tenant\/\*": a tick of cron\(0 2 \* \* \? \*\), cron\(1 2 \* \* \? \*\) and 58 more was sent/,
    );
  });

  test.each<[string, Partial<SingleExecutionFunctionProps>, string | undefined]>([
    ['a rule', { schedules: [{ schedule: nightly, via: 'rule' }] }, 'executed + errors'],
    [
      'a schedule that fires once',
      { schedules: [{ schedule: at(new Date('2027-01-01')) }] },
      'attempted + executed + IF(errors, errors)',
    ],
    [
      'one of several locks, whose errors are not its own',
      { lockNames: ['digest', 'other'], schedules: [{ schedule: nightly, lockName: 'digest' }] },
      'attempted + executed',
    ],
    [
      'one of several locks, by a rule',
      { lockNames: ['digest', 'other'], schedules: [{ schedule: nightly, lockName: 'digest', via: 'rule' }] },
      undefined,
    ],
    ['a schedule that is off', { schedules: [{ schedule: nightly, enabled: false }] }, undefined],
  ])('row 77: for %s has news of what can be told apart', (_, props, news) => {
    expect(expressionOf(ofKind('didNotRun', props)[0])).toBe(news && `FILL(IF(${news}, executed + errors, 0), REPEAT)`);
  });

  test("row 77: does without a group that somebody gave, which may have others' schedules", () => {
    const stack = appStack();
    const scheduleGroup = ScheduleGroup.fromScheduleGroupName(stack, 'Group', 'jobs');
    const [alarm] = ofKind('didNotRun', { schedules: [{ schedule: nightly, scheduleGroup }] }, stack);

    expect(expressionOf(alarm)).toBe('FILL(IF(executed + errors, executed + errors, 0), REPEAT)');
    templateOf(stack).resourceCountIs('AWS::Scheduler::ScheduleGroup', 0);
  });
});

describe('row 77: the alarm that no tick was sent', () => {
  test('row 77: waits for longer if asked to, and is refused for less', () => {
    const waits = (after: Duration) =>
      ofKind('notTriggered', { alarms: { notTriggered: { after } } })[0]?.['Threshold'];

    expect(waits(Duration.days(3))).toBeGreaterThanOrEqual(3 * 86_400);
    expect(() => waits(Duration.hours(24))).toThrow(
      new RangeError(
        'alarms.notTriggered.after is 1 day: ticks and their runs can be 1 day 7 minutes apart; raise it, or leave it out',
      ),
    );
    expect(() => waits(Duration.days(7))).toThrow(
      new RangeError(
        'alarms.notTriggered.after is 7 days: an alarm looks back less than 7 days; lower it, or set notTriggered: false',
      ),
    );
  });

  test('row 77: goes by invocations of the function, if deliveries cannot be distinguished', () => {
    const [alarm] = ofKind('notTriggered', { schedules: [{ schedule: nightly, via: 'rule' }] });

    expect(alarm?.['Metrics'][1].Expression).toBe('FILL(IF(invoked, EPOCH(invoked)), REPEAT)');
  });

  test('row 77: of several schedules goes by the one that fires most often', () => {
    const schedules = [{ schedule: nightly }, { schedule: rate(Duration.hours(1)) }];
    const [alarm] = ofKind('notTriggered', { schedules });

    expect(alarm?.['Threshold']).toBeLessThan(2 * 3_600);
  });

  test('row 77: is none for a schedule that fires once, and nothing is said about it', () => {
    const fn = digest({ schedules: [{ schedule: at(new Date('2027-01-01T02:00:00Z')) }] });

    expect(fn.alarms.of('notTriggered')).toEqual([]);
    expect(warningsOf(fn.stack)).toEqual([]);
  });

  test.each<[string, ScheduleExpression, string]>([
    ['a week', rate(Duration.days(7)), 'rate(7 days) can be 7 days apart'],
    [
      'a month',
      ScheduleExpression.cron({ minute: '0', hour: '2', day: '1' }),
      'cron(0 2 1 * ? *) can be 31 days apart',
    ],
  ])('row 77: cannot look back for %s, and synthesis says so', (_, schedule, apart) => {
    const fn = digest({ schedules: [{ schedule }] });

    expect(fn.alarms.of('notTriggered')).toEqual([]);
    expect(fn.alarms.of('didNotRun')).toHaveLength(1);
    expect(warningsOf(fn.stack)).toMatchObject([
      {
        id: '/Jobs/Digest/SingleExecution/Alarms',
        entry: {
          data: `${apart}, and an alarm looks back 7 at most: nothing reports that no tick of lock "digest" was sent; a tick that was sent and not done is still reported [ack: single-execution:not-triggered:digest]`,
        },
      },
    ]);
  });
});

describe('row 77: locks of one prefix', () => {
  const tenants = ['acme', 'globex', 'initech'].map((name) => ({ schedule: nightly, lockName: `tenant/${name}` }));

  test('row 77: have one set of alarms, one group of schedules and one set of metrics', () => {
    const stack = appStack();
    const fn = digest({ lockNames: ['tenant/*'], schedules: tenants }, stack);
    const template = templateOf(stack);
    const [variables] = Object.values(template.findResources('AWS::Lambda::Function')).map(
      ({ Properties }) => Properties.Environment.Variables,
    );

    expect(KINDS.map((kind) => [kind, fn.alarms.of(kind).length])).toEqual(KINDS.map((kind) => [kind, 1]));
    template.resourceCountIs('AWS::Scheduler::ScheduleGroup', 1);
    expect(variables.SINGLE_EXECUTION_LOCK_SETS).toBe('["tenant/*"]');
    expect(JSON.stringify(alarmsOf(template))).toContain('{"Name":"LockName","Value":"tenant/*"}');
  });

  test('row 77: and another lock are two sets, and a lock belongs to its longest prefix', () => {
    const schedules = [
      ...tenants,
      { schedule: nightly, lockName: 'tenant/eu/acme' },
      { schedule: nightly, lockName: 'digest' },
    ];
    const fn = digest({ lockNames: ['tenant/*', 'digest', 'tenant/eu/*'], schedules });

    expect(fn.execution.lockSets.map(({ name, schedules: own }) => [name, own.length])).toEqual([
      ['tenant/*', 3],
      ['tenant/eu/*', 1],
      ['digest', 1],
    ]);
    expect(fn.alarms.of('didNotRun')).toHaveLength(3);
    expect(fn.alarms.of('lockLost')).toHaveLength(1);
  });
});

describe('row 77: the receivers of the alarms', () => {
  const told = (options: (topic: (name: string) => SnsAction[]) => Partial<SingleExecutionFunctionProps>) => {
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

  test('row 77: is somebody to wake or somebody to mail, of the alarm and, with notifyOk, of its end', () => {
    const notifyOk = true;

    expect(told((topic) => ({ alarms: { notifyOk, page: topic('Page'), ticket: topic('Ticket') } }))).toEqual({
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

  test('row 77: is alarmActions, where alarms names nobody; a severity can be another one', () => {
    const alarms: LockAlarmsOptions = {
      lockLost: { severity: 'ticket' },
      failed: { severity: 'page' },
    };

    expect(told((topic) => ({ alarmActions: topic('Ops'), alarms: { ...alarms, page: topic('Page') } }))).toMatchObject(
      {
        deadLetters: 'Page ',
        lockLost: 'Ops ',
        failed: 'Page ',
        longRun: 'Ops ',
      },
    );
  });

  test('row 77: is nobody unless somebody is named', () => {
    expect(Object.values(told(() => ({})))).toEqual(KINDS.map(() => ' '));
  });
});

describe('row 77: a kind of alarm', () => {
  test.each(KINDS)('row 77: can be turned off: %s', (off) => {
    const fn = digest({ alarms: { [off]: false } });

    expect(KINDS.filter((kind) => fn.alarms.of(kind).length === 0)).toEqual([off]);
    templateOf(fn.stack).resourceCountIs(ALARM, KINDS.length - 1);
    expect(fn.alarms.all).toHaveLength(KINDS.length - 1);
  });

  test('row 77: is none with alarms: false', () => {
    const fn = digest({ alarms: false });

    expect(fn.alarms.all).toEqual([]);
    templateOf(fn.stack).resourceCountIs(ALARM, 0);
  });

  test.each<[string, number, (stack: Stack) => Partial<SingleExecutionFunctionProps>]>([
    ['deadLetters reports the same', 0, () => ({})],
    ['it is asked for', 1, () => ({ alarms: { failed: {} } })],
    ['runs end in a queue', 0, (stack) => ({ onFailure: new SqsDestination(new Queue(stack, 'Elsewhere')) })],
    ['runs end elsewhere', 1, (stack) => ({ onFailure: new SnsDestination(new Topic(stack, 'Elsewhere')) })],
  ])('row 77: failed, where nothing is tried again and %s: %i', (_, count, propsIn) => {
    const stack = appStack();

    expect(ofKind('failed', { retryAttempts: 0, ...propsIn(stack) }, stack)).toHaveLength(count);
  });

  test.each([0, 1.5, 289, Number.NaN])('row 77: for %d periods is refused', (evaluationPeriods) => {
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
  ])('row 77: that does not exist is refused: %j', (alarms, message) => {
    expect(() => digest({ alarms: alarms as LockAlarmsOptions })).toThrow(new TypeError(message));
  });

  test('row 77: that does not exist is an error of types', () => {
    // @ts-expect-error
    const alarms: LockAlarmsOptions = { didNotRan: false };

    expect(alarms).toBeDefined();
  });
});

describe('row 77: the level of the watch', () => {
  const made = (alarms: LockAlarmsOptions, props: Partial<SingleExecutionFunctionProps> = {}) => {
    const fn = digest({ alarms, ...props });
    return KINDS.filter((kind) => fn.alarms.of(kind).length > 0);
  };
  const namespaceOf = (alarms: LockAlarmsOptions) =>
    digest({ alarms }).execution.environment['SINGLE_EXECUTION_NAMESPACE'];

  test('row 77: is every kind, or the two for ticks that did not happen and runs that failed, or one', () => {
    expect(made({})).toEqual(KINDS);
    expect(made({ level: LockAlarmLevel.ALL })).toEqual(KINDS);
    expect(made({ level: LockAlarmLevel.ESSENTIAL })).toEqual(['didNotRun', 'failed']);
    expect(made({ level: LockAlarmLevel.FLEET })).toEqual(['deadLetters']);
  });

  test('row 77: has failed if no dead letter reports the same', () => {
    expect(made({ level: 'essential' }, { retryAttempts: 0 })).toEqual(['didNotRun', 'failed']);
  });

  test('row 77: is what its user adds to it or takes from it', () => {
    expect(made({ level: 'essential', lockLost: {}, failed: false })).toEqual(['didNotRun', 'lockLost']);
  });

  test('row 77: writes no metrics if no alarm watches them', () => {
    expect(namespaceOf({ level: 'essential' })).toBe('SingleExecution/Jobs');
    expect(namespaceOf({ level: 'fleet' })).toBeUndefined();
    expect(namespaceOf({ level: 'fleet', lockLost: {} })).toBe('SingleExecution/Jobs');
  });
});

describe('row 77: functions that use a queue share', () => {
  const three = (propsOf: (n: number) => Partial<SingleExecutionFunctionProps>) => {
    const stack = appStack();
    const lockTable = new LockTable(stack, 'Locks');
    const deadLetterQueue = new Queue(stack, 'DeadLetters');
    const functions = [1, 2, 3].map(
      (n) =>
        new SingleExecutionFunction(stack, `Job${n}`, {
          entry: HANDLER,
          lockTable,
          lockNames: [`job-${n}`],
          schedules: [{ schedule: nightly }],
          deadLetterQueue,
          ...propsOf(n),
        }),
    );
    return { functions, alarms: alarmsOf(templateOf(stack)) };
  };
  const actionOf = (alarmActionArn: string) => ({ bind: () => ({ alarmActionArn }) });
  const onQueue = ({ MetricName }: ReturnType<typeof alarmsOf>[number]) =>
    MetricName === 'ApproximateNumberOfMessagesVisible';

  test('row 77: its alarm, which names them', () => {
    const { functions, alarms } = three(() => ({}));

    expect(alarms.filter(onQueue).map(({ AlarmDescription }) => AlarmDescription)).toEqual([
      'Jobs/Job1, Jobs/Job2 and 1 more: a tick was given up after all retries. The message in the queue has its event and the reason. What to do: docs/on-call.md#deadletters of single-execution.',
    ]);
    expect(new Set(functions.flatMap((fn) => fn.alarms.of('deadLetters')))).toHaveLength(1);
  });

  test('row 77: its alarm, which notifies everybody once', () => {
    const { alarms } = three((n) => ({ alarmActions: [actionOf(n === 1 ? 'Night' : 'Day')] }));

    expect(alarms.filter(onQueue)).toMatchObject([{ AlarmActions: ['Night', 'Day'] }]);
  });

  test('row 77: no alarm that is tuned in another way', () => {
    const { alarms } = three((n) => ({ alarms: { deadLetters: { threshold: n === 3 ? 5 : 1 } } }));

    expect(alarms.filter(onQueue).map(({ Threshold }) => Threshold)).toEqual([1, 5]);
  });
});

describe('row 77: synthesis warns that nothing reports a tick that was not done', () => {
  const locks = ['a', 'b'];

  test('row 77: of several locks in a group that somebody gave', () => {
    const stack = appStack();
    const scheduleGroup = ScheduleGroup.fromScheduleGroupName(stack, 'Group', 'jobs');
    const schedules = locks.map((lockName) => ({ schedule: nightly, lockName, scheduleGroup }));
    digest({ lockNames: locks, schedules }, stack);

    expect(warningsOf(stack).map(({ entry }) => entry.data)).toEqual(
      locks.map(
        (name) =>
          `no alarm reports that a tick of lock "${name}" was not done: its function has other locks too, and deliveries are told apart by the schedule group of each lock; leave out scheduleGroup and via: 'rule', use a function for this lock only, or set alarms: { didNotRun: false } [ack: single-execution:did-not-run:${name}]`,
      ),
    );
  });

  test('row 77: not where its user does without that alarm', () => {
    const schedules = locks.map((lockName) => ({ schedule: nightly, lockName, via: 'rule' as const }));
    const { stack } = digest({ lockNames: locks, schedules, alarms: { didNotRun: false } });

    expect(warningsOf(stack)).toEqual([]);
  });
});
