import { App, Duration, Stack } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { CorruptLockError, executeWithLock, isSkipped, type LockStore, type Observer } from 'single-execution';
import { type LockAlarmsOptions, LockTable, SingleExecutionFunction } from 'single-execution/cdk';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';

/*
 * How example-runner.ts uses the exports of an example, by the name of the export.
 */

type Exported = (...args: unknown[]) => unknown;

const calledWith =
  (...args: unknown[]) =>
  (exported: Exported) =>
    exported(...args);

const underLock = (task: () => unknown, store: LockStore = memoryStore(), observers: readonly Observer[] = []) =>
  executeWithLock(task, { name: 'import-prices', store, lockAtMostFor: '1m', observers });

const stack = () => new Stack(new App(), 'Example', { env: { region: 'eu-west-1' } });
const digestOf = (scope: Stack, alarms: LockAlarmsOptions = {}) =>
  new SingleExecutionFunction(scope, 'Digest', {
    alarms,
    entry: 'src/send-digest.ts',
    lockTable: new LockTable(scope, 'Locks'),
    lockNames: ['send-digest'],
    schedules: [{ schedule: ScheduleExpression.rate(Duration.minutes(5)) }],
  });
const functionOf = (scope: Stack) =>
  new lambda.Function(scope, 'SendDigest', {
    runtime: lambda.Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: lambda.Code.fromInline('// …'),
  });

/** As a Vercel Cron Job sends it: without a scheduled time. */
const request = () =>
  new Request('https://example.com/', {
    headers: { authorization: `Bearer ${process.env['CRON_SECRET']}`, 'user-agent': 'vercel-cron/1.0' },
  });
const notAborted = { signal: new AbortController().signal };

/** Functions over clients of databases. */
const OVER_CLIENTS = [
  ...['overDatabase', 'overKnex', 'overKysely', 'overMikroORM', 'overPrisma'],
  ...['overSequelize', 'overSlonik', 'overSqlite3', 'overTypeORM'],
];

const USES: Readonly<Record<string, (exported: never) => unknown>> = {
  handler: (handler: Exported) => handler(scheduledEvent({ time: new Date() }), lambdaContext()),
  GET: (GET: Exported) => GET(request()),
  default: ({ scheduled }: { scheduled: Exported }) =>
    scheduled({ cron: '0 * * * *', scheduledTime: Date.now() }, process.env, { waitUntil() {} }),
  importPrices: (importPrices: Exported) => importPrices({ date: new Date(), triggeredAt: new Date() }),
  sendDigest: calledWith(new Date()),
  Jobs: (Jobs: new () => { sendDigest: Exported }) => new Jobs().sendDigest(),
  // Do not call its method: the example's own application may call it too, and then one call is skipped.
  // test/aspects/nest.test.ts calls it.
  Reports: (Reports: new () => object) => new Reports(),

  store: (store: LockStore) => underLock(() => 'imported', store),
  observers: (observers: readonly Observer[]) => underLock(() => 'imported', memoryStore(), observers),
  mariaDBStore: calledWith({}),

  // test/stores plays the contract over each of these.
  ...Object.fromEntries(OVER_CLIENTS.map((name) => [name, () => undefined])),

  log: calledWith('imported'),
  report: calledWith('sent'),
  writePrices: (writePrices: Exported) => underLock(() => writePrices([1, 2])),
  mayComeLater: calledWith(new Error('another')),
  holderOf: calledWith(new Error('another')),
  mayWrite: calledWith(notAborted),
  stopInTime: calledWith(notAborted),
  wrongAttribute: calledWith(new CorruptLockError('digest', 'lockUntil', 'a string')),

  addTenants: (addTenants: Exported) => addTenants(stack(), ['acme', 'globex']),
  deployDigest: (deployDigest: Exported) => deployDigest(stack()),
  jobLocks: (jobLocks: Exported) => jobLocks(stack()),
  sharedTable: (sharedTable: Exported) => sharedTable(stack()),
  missedBy: (missedBy: Exported) => missedBy(digestOf(stack())),
  alarmsToWakeFor: (alarmsToWakeFor: Exported) => alarmsToWakeFor(digestOf(stack())),
  cheap: (cheap: LockAlarmsOptions) => digestOf(stack(), cheap),
  alarmsOf: (alarmsOf: Exported) => alarmsOf(new Topic(stack(), 'Pager'), new Topic(stack(), 'Mails')),
  addDashboard(addDashboard: Exported) {
    const scope = stack();
    addDashboard(scope, [digestOf(scope)]);
  },
  addDigest(addDigest: Exported) {
    const scope = stack();
    addDigest(scope, new LockTable(scope, 'Locks'));
  },
  addSchedule(addSchedule: Exported) {
    const scope = stack();
    addSchedule(functionOf(scope), new LockTable(scope, 'Locks'));
  },
};

/** Names of `USES` that no example has exported so far. */
export const unused = new Set(Object.keys(USES));

/** @throws Error for an export that is not in `USES`, and for a run that was skipped or that a route refused */
export async function use(name: string, exported: unknown): Promise<void> {
  if (typeof exported === 'function' && exported.prototype instanceof Stack) {
    Reflect.construct(exported, [new App(), 'Example']);
    return;
  }
  const how = USES[name];
  if (!how) throw new Error(`it exports ${name}: tell in USES of example-uses.ts how that is used`);
  unused.delete(name);
  await expectRun(await how(exported as never));
}

/** @throws Error if the result of a wrapper says that the handler did not run */
async function expectRun(result: unknown): Promise<void> {
  if (isSkipped(result)) throw new Error(`its run was skipped: ${result.reason}`);
  if (!(result instanceof Response)) return;
  const body = await result.text();
  if (!result.ok || body.includes('"skipped"')) throw new Error(`its route answered ${result.status} ${body}`);
}
