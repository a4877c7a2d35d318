import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { type Execution, executeWithLock, withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { type Options as RouteOptions, withSingleExecution as withRoute } from 'single-execution/http';
import { memoryStore } from 'single-execution/memory';
import { cron } from 'single-execution/schedule';
import { lambdaContext } from 'single-execution/testing';
import { expect, test } from 'vitest';
import { gate } from '../support/gate.js';
import { read, sectionOf } from './page.js';

/* What the pages say of events, requests and mocks that are written by hand. */

const tickOf = async (_event: unknown, _context: unknown, { tick }: Execution) => tick?.toISOString() ?? 'no tick';
const TICK = '2026-11-21T02:00:00.000Z';

function lambda(over: object = {}) {
  const handler = withSingleExecution(tickOf, { name: 'digest', store: memoryStore(), observers: [], ...over });
  return (event: unknown) => handler(event, lambdaContext());
}

/** The templates of the Lambda console: "Scheduled Event" and "hello-world". */
const SCHEDULED = {
  id: 'cdc73f9d-aea9-11e3-9d5a-835b769c0d9c',
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '123456789012',
  time: '1970-01-01T00:00:00Z',
  region: 'us-east-1',
  resources: ['arn:aws:events:us-east-1:123456789012:rule/ExampleRule'],
  detail: {},
};
const HELLO = { key1: 'value1', key2: 'value2', key3: 'value3' };

test('docs/platforms/lambda.md: a scheduled event of the console is refused, hello-world runs at each call', async () => {
  const call = lambda();

  await expect(call(SCHEDULED)).rejects.toThrow(/1970-01-01T00:00:00.000Z.*2015/);
  expect(await call({ ...SCHEDULED, time: TICK })).toBe(TICK);
  expect([await call(HELLO), await call(HELLO)]).toEqual(['no tick', 'no tick']);
});

test('docs/platforms/lambda.md: behind SQS a skip is a success, unless onSkipped throws', async () => {
  const event = { Records: [{ messageId: '1', eventSource: 'aws:sqs', body: '{}' }] };
  for (const [onSkipped, isDeleted] of [
    ['return', true],
    ['throw', false],
  ] as const) {
    const [begun, ended] = [gate(), gate()];
    const options = { name: 'digest', store: memoryStore(), observers: [], tick: 'none', onSkipped } as const;
    const handler = withSingleExecution(async () => {
      begun.open();
      await ended.opened;
    }, options);
    const running = handler(event, lambdaContext());
    await begun.opened;
    const [second] = await Promise.allSettled([handler(event, lambdaContext())]);
    expect(second.status === 'fulfilled').toBe(isDeleted);
    ended.open();
    await running;
  }
});

test.each([
  ['time, with the source of a rule', { source: 'aws.events', time: TICK }, TICK],
  ['time, with the source of Scheduler', { source: 'aws.scheduler', time: TICK }, TICK],
  ['time without a source', { time: TICK }, TICK],
  ['scheduledTime of any source', { source: 'my.app', scheduledTime: TICK }, TICK],
  ['time of another source', { source: 'my.app', time: TICK }, 'no tick'],
])("docs/reference.md: 'event' reads %s as said", async (_, event, expected) => {
  expect(await lambda()(event)).toBe(expected);
});

const JSON_TYPE = { 'content-type': 'application/json' };
const TRANSFORMED = (/"InputTemplate": (".*")/.exec(read('docs/platforms/vercel.md')) ?? [])[1] ?? '""';

const BODY = JSON.parse(TRANSFORMED).replace('<time>', TICK);

test.each<[string, object, RequestInit, number]>([
  ['a Vercel Cron Job, by the example', { tick: 'nearest', schedule: cron('0 6 * * MON') }, {}, 200],
  ["a Vercel Cron Job, with tick: 'event'", {}, {}, 400],
  ["EventBridge's event as it is", {}, { body: JSON.stringify(SCHEDULED), headers: JSON_TYPE }, 400],
  ['EventBridge, with the transformer of the page', {}, { body: BODY, headers: JSON_TYPE }, 200],
  ['the same, without its content type', {}, { body: new TextEncoder().encode(BODY) }, 400],
])('docs/platforms/vercel.md: %s', async (_, options, init, status) => {
  const GET = withRoute(async () => Response.json('sent'), {
    ...{ name: 'weekly-digest', store: memoryStore(), maxDuration: '5m', secret: false, observers: [] },
    ...({ tick: 'event', ...options } as Pick<RouteOptions, 'tick'>),
  });
  const method = init.body ? 'POST' : 'GET';

  expect((await GET(new Request('https://example.com/api/weekly-digest', { method, ...init }))).status).toBe(status);
});

test('docs/guides/testing.md: a mock that resolves to {} grants nothing, one with a request id grants each call', async () => {
  const mock = mockClient(DynamoDBDocumentClient);
  const options = { name: 'digest', lockAtMostFor: '1m', observers: [] } as const;
  const run = () => executeWithLock(() => 'sent', { ...options, store: dynamoDBStore({ tableName: 'locks' }) });
  mock.on(UpdateCommand).resolves({});
  await expect(run()).rejects.toMatchObject({ name: 'LockStoreError', code: 'INVALID_REQUEST' });

  mock.on(UpdateCommand).resolves({ $metadata: { requestId: '1' } });
  const both = await Promise.all([run(), run()]);
  mock.restore();
  expect(both).toMatchObject([{ status: 'executed' }, { status: 'executed' }]);
});

const AGAIN = sectionOf(read('docs/on-call.md'), '## Run a failed job again, or a missed tick');
const NIGHT = '2026-11-20T02:00:00.000Z';

test('docs/on-call.md: the payload for Lambda runs its tick, once', async () => {
  const [, payload = ''] = /--payload '(.*?)'/.exec(AGAIN) ?? [];
  const call = lambda();

  expect(await call(JSON.parse(payload))).toBe(NIGHT);
  expect(await call(JSON.parse(payload))).toMatchObject({ reason: 'already-executed' });
});

test('docs/on-call.md: the headers for a route run its tick, once', async () => {
  const headers = [...AGAIN.matchAll(/-H ['"](.*?): (.*?)['"]/g)].map(([, name = '', value = '']): [string, string] => [
    name,
    value.replace('$CRON_SECRET', 'secret'),
  ]);
  const GET = withRoute(async (_request, _context, { tick }) => Response.json(tick), {
    ...{ name: 'send-digest', store: memoryStore(), maxDuration: '1m', tick: 'event', secret: 'secret', observers: [] },
  });
  const call = async () => (await GET(new Request('https://example.com/api/send-digest', { headers }))).json();

  expect(headers).toHaveLength(2);
  expect(await call()).toBe(NIGHT);
  expect(await call()).toMatchObject({ reason: 'already-executed' });
});
