import { Duration, type Stack } from 'aws-cdk-lib';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LockDashboard, LockTable, SingleExecution, SingleExecutionFunction } from 'single-execution/cdk';
import { emfObserver } from 'single-execution/observe';
import { afterEach, expect, test, vi } from 'vitest';
import { digest, HANDLER, ownFunction } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';
import { resolved } from './synthesised-app.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const schedule = ScheduleExpression.rate(Duration.hours(1));

/** A stack of two functions, one of which takes two locks. */
function jobs(): { readonly stack: Stack; readonly functions: readonly SingleExecutionFunction[] } {
  const stack = appStack();
  const common = { entry: HANDLER, lockTable: new LockTable(stack, 'Locks') };
  const functions = [
    new SingleExecutionFunction(stack, 'Digest', { ...common, lockNames: ['digest'], schedules: [{ schedule }] }),
    new SingleExecutionFunction(stack, 'Sync', {
      ...common,
      lockNames: ['tenant/*'],
      schedules: ['acme', 'globex', 'acme'].map((name) => ({ schedule, lockName: `tenant/${name}` })),
      timeout: Duration.minutes(2),
      lockAtMostFor: Duration.minutes(10),
    }),
  ];
  return { stack, functions };
}

interface Widget {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The widgets of a stack's only dashboard. Logical ids stand for the names and ARNs that CloudFormation puts in. */
function widgetsOf(stack: Stack): Widget[] {
  const [dashboard, ...others] = propertiesOf(templateOf(stack), 'AWS::CloudWatch::Dashboard');
  expect(others).toEqual([]);
  return JSON.parse(String(resolved(dashboard.DashboardBody, (id) => id))).widgets;
}

function dashboard(): { readonly widgets: Widget[]; readonly stack: Stack } {
  const { stack, functions } = jobs();
  new LockDashboard(stack, 'Dashboard', { functions });
  return { widgets: widgetsOf(stack), stack };
}

const titled = (widgets: Widget[], title: string) => widgets.find(({ properties }) => properties['title'] === title);

test('row 77: the dashboard shows the alarms of all functions first, and three graphs for each function', () => {
  const { widgets, stack } = dashboard();
  const alarms = Object.keys(templateOf(stack).findResources('AWS::CloudWatch::Alarm'));

  expect(widgets.map(({ type, properties }) => `${type}: ${properties['title']}`)).toEqual([
    'alarm: Alarms',
    'metric: Digest: runs',
    'log: Digest: skips by reason',
    'metric: Digest: hold time against the lease',
    'metric: Sync: runs',
    'log: Sync: skips by reason',
    'metric: Sync: hold time against the lease',
  ]);
  expect(alarms).toHaveLength(8 + 8);
  expect(new Set(widgets[0]?.properties['alarms'] as string[])).toEqual(new Set(alarms));
});

test('row 77: the dashboard shows no more than the hundred alarms of a widget in one', () => {
  const stack = appStack();
  const lockNames = Array.from({ length: 50 }, (_, i) => `job-${i}`);
  const fn = new SingleExecutionFunction(stack, 'Jobs', {
    entry: HANDLER,
    lockTable: new LockTable(stack, 'Locks'),
    lockNames,
    schedules: lockNames.map((lockName) => ({ schedule, lockName })),
  });
  new LockDashboard(stack, 'Dashboard', { functions: [fn] });

  const shown = widgetsOf(stack).flatMap(({ type, properties }) => (type === 'alarm' ? [properties['alarms']] : []));
  expect(shown.map((alarms) => (alarms as string[]).length)).toEqual([100, 6]);
});

test.each([
  ['no place for alarms where there are none', false, ['metric', 'log', 'metric']],
  ['the alarms alone of a function that writes no metrics', { level: 'fleet' }, ['alarm']],
] as const)('row 77: the dashboard has %s', (_, alarms, types) => {
  const stack = appStack();
  new LockDashboard(stack, 'Dashboard', { functions: [digest({ alarms }, stack)] });

  expect(widgetsOf(stack).map(({ type }) => type)).toEqual(types);
});

test('row 77: the dashboard counts the runs of each lock, and those of a prefix together', () => {
  const { widgets } = dashboard();
  const line = (metric: string, lock: string, what: string) => [
    'SingleExecution/Jobs',
    metric,
    'LockName',
    lock,
    { label: `${lock} ${what}`, stat: 'Sum' },
  ];

  expect(titled(widgets, 'Sync: runs')?.properties['metrics']).toEqual([
    line('Executed', 'tenant/*', 'succeeded'),
    line('Failed', 'tenant/*', 'failed'),
    line('Missed', 'tenant/*', 'missed'),
  ]);
});

test('row 77: the dashboard counts skips by reason in the log of the function, by what emfObserver writes there', () => {
  const { widgets, stack } = dashboard();
  const [log = ''] = Object.keys(templateOf(stack).findResources('AWS::Logs::LogGroup')).filter((id) =>
    id.startsWith('Sync'),
  );
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  emfObserver({ lockSets: ['tenant/*'] })({ name: 'tenant/acme', at: new Date(0), type: 'skipped', reason: 'locked' });
  const [[line]] = stdout.mock.calls as [[string]];
  stdout.mockRestore();

  expect(titled(widgets, 'Sync: skips by reason')?.properties).toMatchObject({
    view: 'table',
    query: `SOURCE '${log}' | filter Skipped = 1\n| stats count(*) as Skips by coalesce(Lock, LockName) as Name, Reason\n| sort Skips desc`,
  });
  expect(JSON.parse(line)).toMatchObject({ Skipped: 1, LockName: 'tenant/*', Lock: 'tenant/acme', Reason: 'locked' });
});

test.each([
  ['Digest', 'its timeout', ['digest'], 60_000],
  ['Sync', 'what was given', ['tenant/*'], 600_000],
])('row 77: the dashboard shows how long the locks of %s are held, against the lease: %s', (id, _, locks, leaseMs) => {
  const { widgets } = dashboard();

  expect(titled(widgets, `${id}: hold time against the lease`)?.properties).toMatchObject({
    metrics: locks.map((lock) => [
      'SingleExecution/Jobs',
      'HoldTime',
      'LockName',
      lock,
      { label: `${lock} held`, stat: 'Maximum' },
    ]),
    annotations: { horizontal: [{ value: leaseMs, label: 'lease', yAxis: 'left' }] },
    yAxis: { left: { label: 'ms', min: 0, showUnits: false } },
  });
});

test.each([
  ['its log group', true, /^SOURCE 'Jobs[0-9A-F]{8}' \| /],
  ['the one that Lambda makes', false, /^SOURCE '\/aws\/lambda\/Digest[0-9A-F]{8}' \| /],
])('row 77: the dashboard shows a function that SingleExecution was attached to: skips from %s', (_, own, query) => {
  const stack = appStack();
  const fn = ownFunction(stack, 'Digest', { ...(own && { logGroup: new LogGroup(stack, 'Jobs') }) });
  const lockTable = new LockTable(stack, 'Locks');
  const attached = SingleExecution.attach(fn.addAlias('live'), {
    lockTable,
    lockNames: ['digest'],
    schedules: [{ schedule }],
  });
  new LockDashboard(stack, 'Dashboard', { functions: [attached] });
  const widgets = widgetsOf(stack);

  expect(widgets.map(({ properties }) => properties['title'])).toEqual([
    'Alarms',
    'Digest: runs',
    'Digest: skips by reason',
    'Digest: hold time against the lease',
  ]);
  expect(widgets[0]?.properties['alarms']).toHaveLength(8);
  expect(widgets[2]?.properties['query']).toMatch(query);
  expect(JSON.stringify(widgets[3])).toContain('"value":3000,"label":"lease"');
});

test.each([
  ['CloudFormation makes', {}, undefined],
  ['its user gives', { dashboardName: 'jobs-prod' }, 'jobs-prod'],
])('row 77: the dashboard has the name that %s', (_, options, name) => {
  const { stack, functions } = jobs();
  new LockDashboard(stack, 'Dashboard', { functions, ...options });

  expect(propertiesOf(templateOf(stack), 'AWS::CloudWatch::Dashboard')[0].DashboardName).toBe(name);
});
