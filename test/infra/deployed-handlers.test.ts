import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { lockAdmin } from 'single-execution/admin';
import { dynamoDBAdminStore } from 'single-execution/dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dynamoDBHarness } from '../support/backends/dynamodb.js';
import { dynamoDBLocal } from '../support/dynamodb-local.js';
import { emfProblems } from '../support/emf-check.js';
import { type FaultProxy, type SeenRequest, startFaultProxy } from '../support/fault-proxy.js';
import { type Gate, gate } from '../support/gate.js';
import { inThisRun } from '../support/in-this-run.js';
import { closed, listening } from '../support/loopback.js';
import { nodeBinary } from '../support/node-binary.js';
import { asked, delivered } from './delivered.js';
import { isAllowed } from './iam-policy.js';
import { type InvokeOptions, type LambdaHost, startLambda } from './lambda-runtime/lambda-host.js';
import { createSynthesised, resolved, type SynthesisedApp, synthesisedApp } from './synthesised-app.js';

/*
 * Runs the code that `cdk deploy` would upload, as Lambda runs it, with the events that the template's schedules would
 * send. The tables of the template are in DynamoDB Local.
 */

const REGION = 'eu-central-1';
const STACK = 'single-execution-dev';
const SLOW_MS = 300_000;

const arnOf = (table: string) => `arn:aws:dynamodb:${REGION}:123456789012:table/${table}`;
const { client, endpoint } = dynamoDBLocal();
let app: SynthesisedApp;
let proxy: FaultProxy;

beforeAll(async () => {
  [app, proxy] = await Promise.all([
    synthesisedApp(STACK, [`region=${REGION}`, 'alarmEmail=ops@example.com']),
    startFaultProxy(endpoint),
  ]);
}, SLOW_MS);
afterAll(() => Promise.all([app.remove(), proxy.stop()]));

/** Finds the only resource of a type whose logical id begins with `prefix`. */
function one<T>(type: string, prefix: string): readonly [string, T] {
  const found = Object.entries(app.ofType(type)).filter(([id]) => id.startsWith(prefix));
  expect(found).toHaveLength(1);
  return found[0] as unknown as readonly [string, T];
}

test('the app deploys to the region that it is told, mails alarms, tags what it makes, and is held to cdk-nag', async () => {
  expect(await app.file('manifest.json')).toMatchObject({
    artifacts: {
      [STACK]: { environment: `aws://unknown-account/${REGION}`, properties: { tags: { stage: 'dev' } } },
    },
  });
  expect(Object.values(app.ofType('AWS::SNS::Subscription'))).toMatchObject([{ Endpoint: 'ops@example.com' }]);
  expect(await app.file('validation-report.json')).toMatchObject({
    pluginReports: expect.arrayContaining(
      ['AwsSolutions', 'Serverless'].map((pluginName) =>
        expect.objectContaining({ pluginName, conclusion: 'success' }),
      ),
    ),
  });
});

test.each(['NightlyReport', 'TenantSync'])(
  'what Lambda loads to start %s, AWS SDK included, is under 418 kB',
  async (construct) => {
    const [id] = one('AWS::Lambda::Function', construct);
    const { size } = await stat(join(await app.unpack(id), 'index.mjs'));

    expect(size).toBeLessThan(418_000);
  },
);

describe.each(inThisRun<22 | 24>([24], [22]))('on Node %i', (major) => {
  let node: string;
  let deployed: Awaited<ReturnType<typeof deploy>>;
  const tables = new Map<string, string>();

  beforeAll(async () => {
    node = await nodeBinary(major);
  }, SLOW_MS);
  beforeEach(async () => {
    for (const [id, table] of Object.entries(app.ofType('AWS::DynamoDB::GlobalTable'))) {
      tables.set(id, `${id}-${randomUUID()}`);
      await createSynthesised(client, tables.get(id) ?? '', table);
    }
  });
  afterEach(async () => {
    await deployed.host.stop();
    const requests = proxy.requests();
    proxy.reset();
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter((request) => !mayAsk(request))).toEqual([]);
  });

  const resolve = (id: string, attribute?: string) =>
    attribute === 'Arn' ? arnOf(tables.get(id) ?? id) : (tables.get(id) ?? id);

  /** Whether the function's role allows a request to DynamoDB. */
  function mayAsk(request: SeenRequest): boolean {
    const [, { PolicyDocument }] = one<{ readonly PolicyDocument: unknown }>(
      'AWS::IAM::Policy',
      `${deployed.construct}ServiceRole`,
    );
    return isAllowed(resolved(PolicyDocument, resolve), asked(request, arnOf));
  }

  /** Starts a function of the template, with the template's settings. */
  async function deploy(construct: string, env: Readonly<Record<string, string>> = {}) {
    const [id, fn] = one<FunctionProperties>('AWS::Lambda::Function', construct);
    const own = resolved(fn.Environment.Variables, resolve) as Record<string, string>;
    const host = await startLambda({
      node,
      taskRoot: await app.unpack(id),
      handler: fn.Handler,
      functionName: id,
      region: REGION,
      memoryMb: fn.MemorySize,
      timeoutMs: fn.Timeout * 1_000,
      env: { ...own, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint, ...env },
    });
    /** Delivers a tick of the function's schedule. */
    const deliver = (
      scheduledTime: string,
      { schedule: given, ...options }: InvokeOptions & { schedule?: string } = {},
    ) => {
      const schedule = given ?? `${construct}SingleExecutionSchedule`;
      const [scheduleId, { Target }] = one<{ readonly Target: Record<'Arn' | 'Input', unknown> }>(
        'AWS::Scheduler::Schedule',
        schedule,
      );
      expect(Target.Arn).toEqual({ 'Fn::GetAtt': [id, 'Arn'] });
      const scheduleArn = `arn:aws:scheduler:${REGION}:123456789012:schedule/default/${scheduleId}`;
      return host.start(delivered(String(resolved(Target.Input, resolve)), { scheduledTime, scheduleArn }), options);
    };
    return { construct, host, deliver, lockTable: own['LOCK_TABLE'] ?? '' };
  }

  /** Holds back the next query until the gate `answer` is opened, while its run waits. */
  function holdQuery(): { readonly arrived: Promise<void>; readonly answer: Gate<void> } {
    const [arrived, answer] = [gate(), gate()];
    const meanwhile = () => {
      arrived.open();
      return answer.opened;
    };
    proxy.inject({ kind: 'delay', ms: 0 }, { when: ({ operation }) => operation === 'Query', meanwhile });
    return { arrived: arrived.opened, answer };
  }

  describe('nightly-report', () => {
    const report = (day: string) => ({ status: 'succeeded', value: { reports: [{ day, orders: 0, totalCents: 0 }] } });
    const skipped = (reason: string) => ({ status: 'succeeded', value: { status: 'skipped', reason } });

    test('runs a tick once, and skips its other deliveries, in a warm and in a new environment', async () => {
      deployed = await deploy('NightlyReport');
      const { host, deliver } = deployed;

      expect(await deliver('2026-01-02T02:00:00Z').done).toMatchObject(report('2026-01-01'));
      const again = await Promise.all([1, 2].map(() => deliver('2026-01-02T02:00:00Z').done));
      expect(again).toMatchObject([skipped('already-executed'), skipped('already-executed')]);
      // The ticks of an outage come at once, and each of them runs.
      expect(await deliver('2026-01-03T02:00:00Z').done).toMatchObject(report('2026-01-02'));

      expect(metricsIn(host)).toMatchObject({ Executed: 2 });
      expect(skipsIn(host)).toBe(2);
      expect(host.output().stderr).toEqual([]);
    });

    test('skips a tick that comes while the one before still runs', async () => {
      deployed = await deploy('NightlyReport');
      const { deliver, lockTable } = deployed;
      const { arrived, answer } = holdQuery();

      const first = deliver('2026-01-02T02:00:00Z');
      await arrived;
      const second = await deliver('2026-01-03T02:00:00Z').done;
      answer.open();

      expect(second).toMatchObject(skipped('locked'));
      expect(second).toHaveProperty('value.holder.lockedBy', expect.stringContaining(first.requestId));
      expect(await first.done).toMatchObject(report('2026-01-01'));
      expect(await runsIn(lockTable)).toMatchObject([{ status: 'succeeded', tick: new Date('2026-01-02T02:00:00Z') }]);
    });

    test('row 29: a run that was killed at its timeout keeps its lock till the lease ends; its retry then runs', async () => {
      deployed = await deploy('NightlyReport');
      const { host, deliver, lockTable } = deployed;
      const { arrived } = holdQuery();

      const hung = deliver('2026-01-02T02:00:00Z');
      await arrived;
      hung.timeOut();
      expect(await hung.done).toMatchObject({ status: 'timed-out' });
      const retry = () => deliver('2026-01-02T02:00:00Z', { requestId: hung.requestId }).done;
      expect(await retry()).toMatchObject(skipped('locked'));

      // No test can turn DynamoDB's clock.
      const { patch } = dynamoDBHarness({ client, tableName: lockTable });
      await patch?.('nightly-report', { lockUntil: Date.now() - 5_000 });
      expect(await retry()).toMatchObject(report('2026-01-01'));

      expect(await runsIn(lockTable)).toMatchObject([
        { status: 'succeeded', tick: new Date('2026-01-02T02:00:00Z') },
        { status: 'crashed', tick: new Date('2026-01-02T02:00:00Z') },
      ]);
      expect(host.output().stderr).toEqual([
        expect.stringContaining('lock \\"nightly-report\\": the run before crashed'),
      ]);
      expect(metricsIn(host)).toMatchObject({ Executed: 1 });
      expect(skipsIn(host)).toBe(1);
    });
  });

  describe('tenant-sync', () => {
    let tenants: Server;
    let respond: () => Promise<unknown>;
    beforeEach(async () => {
      respond = async () => [{ id: '7', name: 'Ada', email: 'ada@acme.example' }];
      tenants = createServer(async (_request, response) => {
        response.end(JSON.stringify(await respond()));
      });
      deployed = await deploy('TenantSync', { TENANT_API_URL: `http://127.0.0.1:${await listening(tenants)}/` });
    });
    afterEach(() => closed(tenants));
    const sync = (tenant: string, time: string, options: InvokeOptions = {}) => {
      const schedule = `TenantSyncSingleExecutionSchedulestenantsync2FScheduletenantsync2F${tenant}`;
      return deployed.deliver(time, { schedule, ...options }).done;
    };

    test('syncs tenants side by side, each tick once', async () => {
      const both = ['acme', 'globex'].map((tenant) => sync(tenant, '2026-01-01T00:15:00Z'));
      expect(await Promise.all(both)).toMatchObject([
        { status: 'succeeded', value: { tenant: 'acme', synced: 1 } },
        { status: 'succeeded', value: { tenant: 'globex', synced: 1 } },
      ]);
      expect(await sync('acme', '2026-01-01T00:15:00Z')).toMatchObject({
        status: 'succeeded',
        value: { tenant: 'acme', synced: 0, skipped: 'already-executed' },
      });
    });

    test('row 26: is asked to stop in time, fails and frees its lock; at most once, its retry is skipped', async () => {
      // The process has connected before, so that its five seconds are for the run.
      await sync('globex', '2026-01-01T00:15:00Z');
      respond = () => new Promise(() => {});

      const late = await sync('acme', '2026-01-01T00:15:00Z', { timeoutMs: 5_000, killMs: 60_000 });
      expect(late).toMatchObject({ status: 'failed', errorType: 'RunEndedError' });
      expect(await sync('acme', '2026-01-01T00:15:00Z', { requestId: late.requestId })).toMatchObject({
        value: { synced: 0, skipped: 'already-executed' },
      });
      respond = async () => [];
      expect(await sync('acme', '2026-01-01T00:30:00Z')).toMatchObject({ value: { tenant: 'acme', synced: 0 } });
      expect(await runsIn(deployed.lockTable, 'tenant-sync/acme')).toMatchObject([
        { status: 'succeeded' },
        { status: 'failed' },
      ]);
    });
  });
});

interface FunctionProperties {
  readonly Handler: string;
  readonly MemorySize: number;
  readonly Timeout: number;
  readonly Environment: { readonly Variables: unknown };
}

const admin = (tableName: string) => lockAdmin(dynamoDBAdminStore({ tableName, client }));
const runsIn = (tableName: string, name = 'nightly-report') => admin(tableName).runs(name);

/** The number of lines that the dashboard counts as skips. */
const skipsIn = (host: LambdaHost) => host.output().stdout.filter((text) => text.includes('"Skipped":1')).length;

/** The sums of the metrics on stdout, each well-formed and in the namespace that the template's alarms watch. */
function metricsIn(host: LambdaHost): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const line of host.output().stdout.filter((text) => text.startsWith('{"_aws"'))) {
    expect(emfProblems(`${line}\n`)).toEqual([]);
    const document = JSON.parse(line);
    const [{ Namespace, Metrics }] = document._aws.CloudWatchMetrics;
    expect(Namespace).toBe(`SingleExecution/${STACK}`);
    for (const { Name } of Metrics) sums[Name] = (sums[Name] ?? 0) + document[Name];
  }
  return sums;
}
