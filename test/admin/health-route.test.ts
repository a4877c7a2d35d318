import { LockStoreError } from 'single-execution';
import { type Health, healthRoute, type LockInfo } from 'single-execution/admin';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const NOW = new Date('2026-11-26T10:00:00Z');
const SCHEDULE = '0 2 * * *';
const done = new Date('2026-11-26T02:00:00Z');
const stale = new Date('2026-11-23T02:00:00Z');

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const lockOf = (name: string, more: Partial<LockInfo> = {}): LockInfo => ({
  name,
  state: 'free',
  failuresInARow: 0,
  runs: [],
  schedule: SCHEDULE,
  ...more,
});

const viewOf = (...locks: LockInfo[]) => ({
  list: async () => locks,
  get: async (name: string) => locks.find((lock) => lock.name === name),
});

const asking = (headers: Record<string, string> = {}, path = '/health') =>
  new Request(`https://jobs.example${path}`, { headers });

async function answer(options: Parameters<typeof healthRoute>[0], request = asking()) {
  const response = await healthRoute({ secret: false, ...options })(request);
  return { status: response.status, body: (await response.json()) as Health };
}

test('row 182: answers 200 when no job is overdue', async () => {
  expect(await answer({ admin: viewOf(lockOf('digest', { doneTick: done })) })).toEqual({
    status: 200,
    body: {
      status: 'ok',
      jobs: [{ name: 'digest', state: 'free', doneTick: done.toISOString(), nextTick: '2026-11-27T02:00:00.000Z' }],
    },
  });
});

test('row 182: answers 503 when a job is overdue, and names that job first', async () => {
  const admin = viewOf(lockOf('backup', { doneTick: done }), lockOf('digest', { doneTick: stale }));

  const { status, body } = await answer({ admin });

  expect([status, body.status]).toEqual([503, 'overdue']);
  expect(body.jobs[0]).toEqual({
    name: 'digest',
    state: 'free',
    overdueTick: '2026-11-24T02:00:00.000Z',
    doneTick: stale.toISOString(),
    nextTick: '2026-11-27T02:00:00.000Z',
  });
});

test('looks at every lock whose record has a schedule, and at corrupt ones', async () => {
  const { schedule: _, ...plain } = lockOf('plain');
  const corrupt: LockInfo = { name: 'torn', state: 'corrupt', failuresInARow: 0, runs: [], problem: 'tick is torn' };

  const { status, body } = await answer({ admin: viewOf(plain, corrupt, lockOf('digest', { doneTick: done })) });

  expect([status, body.status]).toEqual([503, 'overdue']);
  expect(body.jobs.map(({ name }) => name)).toEqual(['torn', 'digest']);
});

test('F172 answers 503 with status empty when there is nothing to look at', async () => {
  expect(await answer({ admin: viewOf() })).toEqual({ status: 503, body: { status: 'empty', jobs: [] } });
});

test('F168 looks at the jobs that are given only, and a job without a record is overdue', async () => {
  const admin = viewOf(lockOf('digest', { doneTick: done }), lockOf('backup', { doneTick: stale }));

  expect((await answer({ admin, jobs: [{ name: 'digest' }] })).status).toBe(200);
  const { status, body } = await answer({ admin, jobs: [{ name: 'digset' }] });
  expect([status, body.jobs]).toEqual([
    503,
    [{ name: 'digset', state: 'unused', overdueTick: '2026-11-26T09:45:00.000Z' }],
  ]);
});

test("a job's own schedule, grace and since count, else those of the record and of the route", async () => {
  const admin = viewOf(lockOf('digest', { doneTick: stale }));
  const overdue = async (job: object, grace?: string) =>
    (await answer({ admin, jobs: [{ name: 'digest', ...job }], ...(grace && { grace }) })).body.jobs[0]?.overdueTick;

  expect(await overdue({}, '8d')).toBeUndefined();
  expect(await overdue({ grace: undefined, schedule: undefined }, '8d')).toBeUndefined();
  expect(await overdue({ grace: '1m' }, '8d')).toBe('2026-11-24T02:00:00.000Z');
  expect(await overdue({ schedule: '1d' })).toBe('2026-11-24T02:00:00.000Z');
});

test('F173 a store that does not answer makes the route unavailable, with a warning', async () => {
  const about = { code: 'UNAVAILABLE', lockName: '', operation: 'list', retryable: true } as const;
  const error = new LockStoreError('list failed: no answer', about);
  const admin = { ...viewOf(), list: () => Promise.reject(error) };

  expect(await answer({ admin })).toEqual({ status: 503, body: { status: 'unavailable', jobs: [] } });
  expect(warn.mock.calls).toEqual([
    [expect.stringContaining('the health of the jobs is unknown: list failed: no answer')],
  ]);
});

test('F174 a schedule that nobody can read is told once, with the name of the job, which counts as overdue', async () => {
  const route = healthRoute({ admin: viewOf(lockOf('digest', { schedule: 'each full moon' })), secret: false });
  await route(asking());

  const response = await route(asking());

  expect([response.status, ((await response.json()) as Health).jobs[0]?.problem]).toEqual([
    503,
    expect.stringContaining('lock "digest": its health is unknown: schedule is \'each full moon\''),
  ]);
  expect(warn).toHaveBeenCalledOnce();
});

test("F174 a job's own schedule that answers with a promise makes its health unknown, and rejects nowhere", async () => {
  const next = async () => Promise.reject(new Error('no calendar'));
  const schedule = { previous: () => undefined, next, between: () => [] } as never;
  const admin = viewOf(lockOf('digest', { doneTick: done }));

  expect((await answer({ admin, jobs: [{ name: 'digest', schedule }] })).body.jobs[0]?.problem).toContain('a promise');
  await new Promise(setImmediate);
});

describe('row 183: for Prometheus', () => {
  const admin = viewOf(
    lockOf('di"gest', { doneTick: stale, failuresInARow: 2, state: 'held' }),
    lockOf('new', { state: 'paused', underlyingState: 'unused' }),
  );
  const text = async (request: Request) => {
    const response = await healthRoute({ admin, secret: false })(request);
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  test('answers with gauges and status 200', async () => {
    const answer = await text(asking({}, '/health?format=prometheus'));

    expect([answer.status, answer.type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(answer.text.split('\n').filter((line) => line.startsWith('single'))).toEqual([
      'single_execution_overdue_seconds{lock="di\\"gest"} 201600',
      'single_execution_overdue_seconds{lock="new"} 0',
      'single_execution_done_tick_timestamp_seconds{lock="di\\"gest"} 1795399200',
      'single_execution_held{lock="di\\"gest"} 1',
      'single_execution_held{lock="new"} 0',
      'single_execution_paused{lock="di\\"gest"} 0',
      'single_execution_paused{lock="new"} 1',
      'single_execution_failures_in_a_row{lock="di\\"gest"} 2',
      'single_execution_failures_in_a_row{lock="new"} 0',
    ]);
  });

  test('F174 alerts on a job whose record or schedule cannot be read', async () => {
    const ill = viewOf(
      { name: 'torn', state: 'corrupt', failuresInARow: 0, runs: [], problem: 'tick is torn' },
      lockOf('moon\\\n', { schedule: 'each full moon' }),
    );
    const response = await healthRoute({ admin: ill, secret: false })(asking({}, '/health?format=prometheus#now'));

    expect((await response.text()).split('\n').filter((line) => line.includes('overdue_seconds{'))).toEqual([
      'single_execution_overdue_seconds{lock="torn"} +Inf',
      'single_execution_overdue_seconds{lock="moon\\\\\\n"} +Inf',
    ]);
  });

  test.each([
    ['application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1', true],
    ['text/plain', true],
    ['application/json, text/plain, */*', false],
    ['text/plain, application/json', true],
    ['text/plain;q=0', false],
    ['application/json;q=0, text/plain;version=0.0.4; Q=0.1', true],
    ['text/*;q=1.x, text/html', false],
    ['text/plain;q=0.5, application/json', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['*/*', false],
  ])('F175 Accept: %s asks for gauges: %s', async (accept, isText) => {
    expect((await text(asking({ accept }))).type?.startsWith('text/plain')).toBe(isText);
  });
});

test('wants the secret, as a route of /http does, and answers a HEAD with the same status', async () => {
  const admin = viewOf(lockOf('digest', { doneTick: stale }));
  const statusOf = async (options: object, request = asking()) =>
    (await healthRoute({ admin, ...options })(request)).status;

  expect(await statusOf({ secret: 's3cret' })).toBe(401);
  expect(await statusOf({ secret: 's3cret' }, asking({ authorization: 'Bearer s3cret' }))).toBe(503);
  expect(await statusOf({ secret: false }, new Request('https://jobs.example/', { method: 'HEAD' }))).toBe(503);
  vi.stubEnv('CRON_SECRET', '');
  expect(await statusOf({})).toBe(500);
  vi.unstubAllEnvs();
});

test.each<[string, object, string]>([
  ['no admin', { admin: undefined }, 'admin is undefined: pass the view of operators, such as lockAdmin(store)'],
  ['a job without a name', { jobs: [{}] }, 'jobs[0].name is undefined: pass the name of its lock'],
  ['one job, not a list', { jobs: { name: 'digest' } }, 'jobs is an object: pass an array such as [{ name }]'],
  ['a name alone', { jobs: ['digest'] }, 'jobs[0] is a string: pass an object such as { name }'],
  // Prometheus would refuse it.
  ['a job twice', { jobs: [{ name: 'a' }, { name: 'a', grace: '1h' }] }, 'jobs has lock "a" twice: pass it once'],
  ['an empty name', { jobs: [{ name: '' }] }, "name is '': empty; pass a name of 1 to 128 bytes"],
  ['a since that is no Date', { jobs: [{ name: 'a', since: '2026' }] }, "jobs[0].since is '2026': pass a valid Date"],
  ['a grace without a unit', { grace: '15' }, "grace is '15', which has no unit: write '15ms', '15s' or '15m'"],
])('refuses %s', (_, options, message) => {
  expect(() => healthRoute({ admin: viewOf(), ...options } as never)).toThrow(message);
});
