import { inspect } from 'node:util';
import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { withSingleExecution as onHttp } from 'single-execution/http';
import { memoryStore } from 'single-execution/memory';
import { emfObserver, jsonLogObserver } from 'single-execution/observe';
import { lambdaContext, recordingObserver, scheduledEvent } from 'single-execution/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { call } from '../support/one-run.js';
import { scriptedStore } from '../support/scripted-store.js';

const SECRET = 'hunter2-s3cret';
const URL_WITH_SECRET = `https://default:${SECRET}@eu1.upstash.io`;
/** A value with all that a log of it could show. */
const everything = (value: unknown) =>
  inspect(value, { depth: Number.POSITIVE_INFINITY, maxStringLength: null, showHidden: true });

afterEach(() => {
  vi.restoreAllMocks();
});

test('F89 F90 secrets in the event, the environment and an error reach no log and no record, and an event only as the error itself', async () => {
  vi.stubEnv('UPSTASH_REDIS_REST_TOKEN', SECRET);
  vi.stubEnv('CRON_SECRET', SECRET);
  const lines: unknown[] = [];
  for (const level of ['log', 'error', 'warn', 'info'] as const)
    vi.spyOn(console, level).mockImplementation((...line) => void lines.push(line));
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    lines.push(line);
    return true;
  });
  const store = memoryStore();
  const observer = recordingObserver();
  const failing = Object.assign(new Error(`connect ${URL_WITH_SECRET}`), { code: SECRET });
  const broken = scriptedStore({ acquire: () => Promise.reject(failing) });
  const event = { ...scheduledEvent(), detail: { token: SECRET }, headers: { authorization: `Bearer ${SECRET}` } };
  const fail = async () => {
    throw failing;
  };
  for (const kept of [store, broken]) {
    const observers = [observer, jsonLogObserver(), emfObserver()];
    const handler = withSingleExecution(fail, { name: 'digest', store: kept, observers });
    await expect(handler(event, lambdaContext())).rejects.toThrow();
  }
  const route = onHttp(async () => new Response(), { name: 'digest', store, lockAtMostFor: '1m', tick: 'none' });
  const refused = await route(new Request(`http://localhost/?token=${SECRET}`, { headers: { authorization: SECRET } }));

  expect(refused.status).toBe(401);
  const told = observer.events.map((one) => ('error' in one ? { ...one, error: undefined } : one));
  expect(lines.length).toBeGreaterThan(3);
  expect(everything([lines, told, await store.list(call()), await refused.text()])).not.toContain(SECRET);
});

const ROUTE = { name: 'a', store: memoryStore(), lockAtMostFor: '1m', tick: 'none' } as const;
test.each<[string, () => unknown]>([
  ['a secret that is a number', () => onHttp(async () => new Response(), { ...ROUTE, secret: 123_456 as never })],
  ['an address as a client of DynamoDB', () => dynamoDBStore({ tableName: 'locks', client: URL_WITH_SECRET as never })],
  ['an address as a store', () => withSingleExecution(async () => 1, { name: 'a', store: URL_WITH_SECRET as never })],
])('F90 %s is refused without being shown', (_, make) => {
  expect(make).toThrow(TypeError);
  expect(make).not.toThrow(/hunter2|123456/);
});
