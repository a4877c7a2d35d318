import { Duration, type Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LockDashboard, type LockDashboardProps } from 'single-execution/cdk';
import { emfObserver } from 'single-execution/observe';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { attached, digest, ownFunction } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';
import { resolved } from './synthesised-app.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const DASHBOARD = 'AWS::CloudWatch::Dashboard';
const schedule = ScheduleExpression.rate(Duration.hours(1));

interface Widget {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The widgets of a stack's only dashboard. Logical ids stand for the names and ARNs that CloudFormation puts in. */
function widgetsOf(stack: Stack, functions: LockDashboardProps['functions']): Widget[] {
  new LockDashboard(stack, 'Dashboard', { functions });
  const [dashboard, ...others] = propertiesOf(templateOf(stack), DASHBOARD);
  expect(others).toEqual([]);
  return JSON.parse(String(resolved(dashboard.DashboardBody, (id) => id))).widgets;
}

const titlesOf = (widgets: readonly Widget[]) => widgets.map(({ type, properties: { title } }) => `${type}: ${title}`);
const graphsOf = (id: string) => [
  `metric: ${id}: runs`,
  `log: ${id}: skips by reason`,
  `metric: ${id}: hold time against the lease`,
];

describe('row 77: the dashboard of two functions, one of which takes two locks', () => {
  let stack: Stack;
  let widgets: readonly Widget[];
  beforeAll(() => {
    stack = appStack();
    const tenants = ['acme', 'globex', 'acme'].map((name) => ({ schedule, lockName: `tenant/${name}` }));
    widgets = widgetsOf(stack, [
      digest({ schedules: [{ schedule }] }, stack),
      digest(
        {
          lockNames: ['tenant/*'],
          schedules: tenants,
          timeout: Duration.minutes(2),
          lockAtMostFor: Duration.minutes(10),
        },
        stack,
        'Sync',
      ),
    ]);
  });
  const titled = (title: string) => widgets.find(({ properties }) => properties['title'] === title)?.properties;
  const line = (metric: string, lock: string, what: string, stat: string) => [
    'SingleExecution/Jobs',
    metric,
    'LockName',
    lock,
    { label: `${lock} ${what}`, stat },
  ];

  test('shows the alarms of both first, and three graphs for each; its name is made by CloudFormation', () => {
    const alarms = Object.keys(templateOf(stack).findResources('AWS::CloudWatch::Alarm'));

    expect(titlesOf(widgets)).toEqual(['alarm: Alarms', ...graphsOf('Digest'), ...graphsOf('Sync')]);
    expect(alarms).toHaveLength(8 + 8);
    expect(new Set(widgets[0]?.properties['alarms'] as string[])).toEqual(new Set(alarms));
    expect(propertiesOf(templateOf(stack), DASHBOARD)[0].DashboardName).toBeUndefined();
  });

  test('counts the runs of each lock, and those of a prefix together', () => {
    expect(titled('Sync: runs')?.['metrics']).toEqual([
      line('Executed', 'tenant/*', 'succeeded', 'Sum'),
      line('Failed', 'tenant/*', 'failed', 'Sum'),
      line('Missed', 'tenant/*', 'missed', 'Sum'),
    ]);
  });

  test('counts skips by reason in the log of the function, by what emfObserver writes there', () => {
    const logs = Object.keys(templateOf(stack).findResources('AWS::Logs::LogGroup'));
    const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    const skipped = { name: 'tenant/acme', at: new Date(0), type: 'skipped', reason: 'locked' } as const;
    emfObserver({ lockSets: ['tenant/*'] })(skipped);
    const [[written]] = stdout.mock.calls as [[string]];
    stdout.mockRestore();

    expect(titled('Sync: skips by reason')).toMatchObject({
      view: 'table',
      query: `SOURCE '${logs.find((id) => id.startsWith('Sync'))}' | filter Skipped = 1\n| stats count(*) as Skips by coalesce(Lock, LockName) as Name, Reason\n| sort Skips desc`,
    });
    expect(JSON.parse(written)).toMatchObject({
      Skipped: 1,
      LockName: 'tenant/*',
      Lock: 'tenant/acme',
      Reason: 'locked',
    });
  });

  test.each([
    ['Digest', 'its timeout', 'digest', 60_000],
    ['Sync', 'what was given', 'tenant/*', 600_000],
  ])('shows how long the locks of %s are held, against the lease: %s', (id, _, lock, leaseMs) => {
    expect(titled(`${id}: hold time against the lease`)).toMatchObject({
      metrics: [line('HoldTime', lock, 'held', 'Maximum')],
      annotations: { horizontal: [{ value: leaseMs, label: 'lease', yAxis: 'left' }] },
      yAxis: { left: { label: 'ms', min: 0, showUnits: false } },
    });
  });
});

test('row 77: the dashboard shows no more than the hundred alarms of a widget in one', () => {
  const stack = appStack();
  const lockNames = Array.from({ length: 50 }, (_, i) => `job-${i}`);
  const fn = digest({ lockNames, schedules: lockNames.map((lockName) => ({ schedule, lockName })) }, stack);

  const shown = widgetsOf(stack, [fn]).filter(({ type }) => type === 'alarm');
  expect(shown.map(({ properties }) => (properties['alarms'] as string[]).length)).toEqual([100, 6]);
});

test.each([
  ['no place for alarms where there are none', false, ['metric', 'log', 'metric']],
  ['the alarms alone of a function that writes no metrics', { level: 'fleet' }, ['alarm']],
] as const)('row 77: the dashboard has %s', (_, alarms, types) => {
  const stack = appStack();

  expect(widgetsOf(stack, [digest({ alarms }, stack)]).map(({ type }) => type)).toEqual(types);
});

test.each([
  ['its log group', true, /^SOURCE 'Jobs[0-9A-F]{8}' \| /],
  ['the one that Lambda makes', false, /^SOURCE '\/aws\/lambda\/Digest[0-9A-F]{8}' \| /],
])('row 77: the dashboard shows a function that SingleExecution was attached to: skips from %s', (_, own, query) => {
  const stack = appStack();
  const fn = ownFunction(stack, 'Digest', { ...(own && { logGroup: new LogGroup(stack, 'Jobs') }) });
  const widgets = widgetsOf(stack, [attached(fn.addAlias('live'))]);

  expect(titlesOf(widgets)).toEqual(['alarm: Alarms', ...graphsOf('Digest')]);
  expect(widgets[0]?.properties['alarms']).toHaveLength(8);
  expect(widgets[2]?.properties['query']).toMatch(query);
  expect(JSON.stringify(widgets[3])).toContain('"value":3000,"label":"lease"');
});

test('row 77: the dashboard has the name that its user gives', () => {
  const stack = appStack();
  new LockDashboard(stack, 'Dashboard', { functions: [digest({}, stack)], dashboardName: 'jobs-prod' });

  expect(propertiesOf(templateOf(stack), DASHBOARD)[0].DashboardName).toBe('jobs-prod');
});
