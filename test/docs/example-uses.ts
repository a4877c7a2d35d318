import { App, Duration, Stack } from 'aws-cdk-lib';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { CorruptLockError, executeWithLock, isSkipped, type LockStore, type Observer } from 'single-execution';
import { type LockAlarmsOptions, LockTable, SingleExecutionFunction } from 'single-execution/cdk';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import { objectsInMemory } from './objects-in-memory.js';

/*
 * How example-runner.ts uses the exports of an example, by a door that the example imports and the name of the export.
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
const ofCloudScheduler = () =>
  new Request('https://example.com/', {
    headers: { 'x-cloudscheduler': 'true', 'x-cloudscheduler-scheduletime': new Date().toISOString() },
  });
const notAborted = { signal: new AbortController().signal };

type Uses = Readonly<Record<string, (exported: never) => unknown>>;

const invoked = (handler: Exported) => handler(scheduledEvent({ time: new Date() }), lambdaContext());
/** test/stores plays the contract over each of these. */
const playedElsewhere = (...names: string[]) => Object.fromEntries(names.map((name) => [name, () => undefined]));

/** Uses in examples of every door. */
const OF_EVERY_DOOR: Uses = { store: (store: LockStore) => underLock(() => 'imported', store) };

/** The root door is `''`; `/http` is single-execution/http. */
const USES: Readonly<Record<string, Uses>> = {
  // Its answer is about the jobs of all examples: any answer will do.
  '/admin': { health: async (health: Exported) => void (await health(request())) },
  '': {
    handler: invoked,
    sendDigest: calledWith(new Date()),
    log: calledWith('imported'),
    report: calledWith('sent'),
    writePrices: (writePrices: Exported) => underLock(() => writePrices([1, 2])),
    mayComeLater: calledWith(new Error('another')),
    holderOf: calledWith(new Error('another')),
    mayWrite: calledWith(notAborted),
    stopInTime: calledWith(notAborted),
    wrongAttribute: calledWith(new CorruptLockError('digest', 'lockUntil', 'a string')),
  },
  // `app.timer` keeps the handler of an example: test/adapters/azure.test.ts calls such handlers.
  '/cdk': {
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
  },
  '/cloudflare': {
    default: ({ scheduled }: { scheduled: Exported }) =>
      scheduled({ cron: '0 * * * *', scheduledTime: Date.now() }, process.env, { waitUntil() {} }),
  },
  '/decorator': {
    Jobs: (Jobs: new () => { sendDigest: Exported }) => new Jobs().sendDigest(),
    // Do not call its method: the example's own application may call it too, and then one call is skipped.
    // test/aspects/nest.test.ts calls it.
    Reports: (Reports: new () => object) => new Reports(),
    sendNow: (sendNow: Exported) => sendNow({ send: Object.assign(async () => {}, { now: async () => {} }) }),
  },
  '/durable-objects': {
    default: ({ scheduled }: { scheduled: Exported }) =>
      scheduled(
        { cron: '0 * * * *', scheduledTime: Date.now() },
        { ...process.env, LOCKS: objectsInMemory() },
        { waitUntil() {} },
      ),
    // The platform makes its objects, as test/stores/durable-objects does.
    LockObject: () => undefined,
  },
  '/http': {
    GET: (GET: Exported) => GET(request()),
    sendDigest: (sendDigest: Exported) => sendDigest(ofCloudScheduler()),
  },
  '/leader': { handler: invoked },
  '/middy': { handler: invoked },
  '/observe': {
    observers: (observers: readonly Observer[]) => underLock(() => 'imported', memoryStore(), observers),
  },
  '/mysql': playedElsewhere('overKnex', 'overKysely', 'overMikroORM', 'overPrisma', 'overSequelize', 'overTypeORM'),
  '/postgres': playedElsewhere(
    ...['overKnex', 'overKysely', 'overMikroORM', 'overPrisma', 'overSequelize', 'overSlonik', 'overTypeORM'],
  ),
  '/process': {
    importPrices: (importPrices: Exported) => importPrices({ date: new Date(), triggeredAt: new Date() }),
    digest: (digest: Exported) => digest(),
    onTick: (onTick: Exported) => onTick({ scheduleTime: new Date(Date.now() - 60_000).toISOString() }),
  },
  '/sqlite': playedElsewhere('overDatabase', 'overKnex', 'overKysely', 'overSqlite3'),
  '/store': { s3Store: calledWith('https://bucket.example', fetch) },
};

/** Uses that no example has needed so far: the door and the name. */
export const unused = new Set(
  [...Object.entries(USES), ['*', OF_EVERY_DOOR] as const].flatMap(([door, uses]) =>
    Object.keys(uses).map((name) => `${door} ${name}`),
  ),
);

/**
 * @param doors the doors that the example imports. The use of another door goes before the use of the root door
 * @throws Error for an export without a use, and for a run that was skipped or that a route refused
 */
export async function use(name: string, exported: unknown, doors: readonly string[]): Promise<void> {
  if (typeof exported === 'function' && exported.prototype instanceof Stack) {
    Reflect.construct(exported, [new App(), 'Example']);
    return;
  }
  const own = [...doors]
    .sort()
    .reverse()
    .find((door) => USES[door]?.[name]);
  const how = own === undefined ? OF_EVERY_DOOR[name] : USES[own]?.[name];
  if (!how) {
    const its = doors.map((door) => `single-execution${door}`).join(', ') || 'no door';
    throw new Error(`it imports ${its} and exports ${name}: tell in USES of example-uses.ts how that is used`);
  }
  unused.delete(`${own ?? '*'} ${name}`);
  await expectRun(await how(exported as never));
}

/** @throws Error if the result of a wrapper says that the handler did not run */
async function expectRun(result: unknown): Promise<void> {
  // The schedule of an example leaves out holidays, and today may be one.
  if (isSkipped(result) && result.reason === 'off-schedule') return;
  if (isSkipped(result)) throw new Error(`its run was skipped: ${result.reason}`);
  if (!(result instanceof Response)) return;
  const body = await result.text();
  if (!result.ok || body.includes('"skipped"')) throw new Error(`its route answered ${result.status} ${body}`);
}
