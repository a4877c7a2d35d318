import { withSingleExecution } from 'single-execution/http';
import { cron } from 'single-execution/schedule';
import { describe, expect, test, vi } from 'vitest';
import { readSchedule, whoCalls } from '../../src/adapters/http-request.js';
import { memoryLocks } from '../support/memory-locks.js';
import { fixture } from './fixture.js';

const URL = 'https://example.com/api/digest';
const NOON = Date.parse('2026-09-02T12:00:00Z');
const DAY = 86_400_000;

type Headers = Record<string, string>;
const get = (headers: Headers = {}) => new Request(URL, { headers });
const recorded = (name: string) => fixture(name) as Headers;
const post = (body: string, headers: Headers = { 'content-type': 'application/json' }) =>
  new Request(URL, { method: 'POST', body, headers });
const json = (body: unknown) => post(JSON.stringify(body));

/** A route on a host whose clock stands a few seconds after noon. */
async function setting() {
  const { clock, store, ...locks } = memoryLocks();
  const options = { ...locks.options, secret: false, tick: 'event' } as const;
  await clock.advance(NOON + 7_000 - clock.now());
  const acquire = vi.spyOn(store, 'acquire');
  const handler = vi.fn(async (_request: Request, _context: unknown, { tick }: { tick?: Date }) =>
    Response.json({ tick }),
  );
  const route = withSingleExecution(handler, options);
  return { options, acquire, handler, route };
}

describe('row 36: row 66: the scheduled time of a request', () => {
  test.each<[string, Request, object]>([
    ['Vercel Schedules', get(recorded('vercel-schedule')), { tickMs: NOON }],
    ['Google Cloud Scheduler', get(recorded('cloud-scheduler')), { tickMs: NOON }],
    ['Vercel Cron, which tells none', get(recorded('vercel-cron')), {}],
    ['a JSON body, as an ISO string', json({ scheduledTime: '2026-09-02T12:00:00Z' }), { tickMs: NOON }],
    ['a JSON body, as epoch milliseconds', json({ scheduledTime: NOON }), { tickMs: NOON }],
    [
      'a body of any JSON type',
      post(`{"scheduledTime":${NOON}}`, { 'content-type': 'application/cloudevents+json; charset=utf-8' }),
      { tickMs: NOON },
    ],
  ])('row 36: of %s', async (_, request, trigger) => {
    expect(await readSchedule(request)).toEqual(trigger);
  });

  test('row 36: a header comes before the body, which is then not read', async () => {
    const request = post('{"scheduledTime":1}', { ...recorded('vercel-schedule'), 'content-type': 'application/json' });
    const clone = vi.spyOn(request, 'clone');

    expect(await readSchedule(request)).toEqual({ tickMs: NOON });
    expect(clone).not.toHaveBeenCalled();
  });

  test('row 36: it is the time that was due, not the time of firing, which differs per delivery', async () => {
    const again = { ...recorded('vercel-schedule'), 'ce-time': '2026-09-02T12:03:59.001Z', 'ce-id': 'another' };

    expect(await readSchedule(get(again))).toEqual(await readSchedule(get(recorded('vercel-schedule'))));
  });

  test.each<[string, Request]>([
    ['no header and no body', get()],
    ['a header that is empty', get({ 'ce-vssscheduledat': '' })],
    ['no body although its type is named', get({ 'content-type': 'application/json' })],
    ['a body that is no JSON', post('scheduledTime=1', { 'content-type': 'application/x-www-form-urlencoded' })],
    ['a body that only claims to be JSON', post('{"scheduledTime":')],
    ['a body of no type', post(`{"scheduledTime":${NOON}}`, {})],
    ['a body without the time', json({ time: NOON })],
    ['a body with null as time', json({ scheduledTime: null })],
    ['a body that is null', json(null)],
    ['a body that is a string', json('2026-09-02T12:00:00Z')],
    ['a body that is a number', json(NOON)],
    ['a body that is a list', json([{ scheduledTime: NOON }])],
  ])('F68 does not exist, and nothing is reported, with %s', async (_, request) => {
    expect(await readSchedule(request)).toEqual({});
  });

  test('F68 a body that was read before is reported as a time that cannot be read', async () => {
    const request = json({ scheduledTime: NOON });
    await request.text();

    expect(await readSchedule(request)).toEqual({ unreadableTick: 'in a body that was read before' });
  });

  test.each<[string, Request, object]>([
    ['if a header has the time', post('{}', recorded('vercel-schedule')), { tickMs: NOON }],
    ['where its type is not JSON', post('scheduledTime=1', { 'content-type': 'text/plain' }), {}],
  ])('F68 but not %s', async (_, request, trigger) => {
    await request.text();

    expect(await readSchedule(request)).toEqual(trigger);
  });

  test.each<[string, Request, string]>([
    ['a header', get({ 'ce-vssscheduledat': 'noon' }), "'noon'"],
    ['a header in milliseconds', get({ 'x-cloudscheduler-scheduletime': String(NOON) }), `'${NOON}'`],
    ['a header of year 57000', get({ 'ce-vssscheduledat': '+057000-01-01T00:00:00Z' }), "'+057000-01-01T00:00:00Z'"],
    ['a string', json({ scheduledTime: 'noon' }), "'noon'"],
    ['true', json({ scheduledTime: true }), 'true'],
    ['an object', json({ scheduledTime: { toString: 1 } }), 'an object'],
  ])('a time that cannot be read is no tick, and is told: %s', async (_, request, unreadableTick) => {
    expect(await readSchedule(request)).toEqual({ unreadableTick });
  });
});

describe('row 66: a route takes its tick from the request', () => {
  test('row 36: the body stays readable for the handler', async () => {
    const { options } = await setting();
    const body = { scheduledTime: NOON, tenant: 'é'.repeat(100_000) };
    const route = withSingleExecution(
      async (request, _context, { tick }) => {
        expect(request.bodyUsed).toBe(false);
        return Response.json({ tick, body: await request.json() });
      },
      { ...options, secret: false },
    );

    expect(await (await route(json(body), {})).json()).toEqual({ tick: '2026-09-02T12:00:00.000Z', body });
  });

  test('row 36: or from the local clock if that is asked for; the request is then not read', async () => {
    const { options, handler } = await setting();
    const route = withSingleExecution(handler, { ...options, tick: { every: '10m' } });
    const request = json({ scheduledTime: NOON - DAY });
    const clone = vi.spyOn(request, 'clone');
    await route(request, {});

    expect(handler.mock.calls[0]?.[2].tick).toEqual(new Date(NOON));
    expect(clone).not.toHaveBeenCalled();
    expect(await (await route(get(), {})).json()).toMatchObject({ reason: 'already-executed' });
  });

  const read = json({ scheduledTime: NOON });
  test.each<[string, string, string, () => Request | Promise<Request>]>([
    ['none, as of Vercel Cron', 'TICK_MISSING', 'it has no scheduled time:', () => get(recorded('vercel-cron'))],
    ['one that cannot be read', 'TICK_UNREADABLE', "'noon'", () => get({ 'ce-vssscheduledat': 'noon' })],
    ['one in a body that was read', 'TICK_UNREADABLE', 'was read before', () => read.text().then(() => read)],
    ['the year 9999', 'TICK_OUT_OF_RANGE', 'ahead of', () => get({ 'ce-vssscheduledat': '9999-12-31T23:59:59Z' })],
    ['the year 57000', 'TICK_OUT_OF_RANGE', 'ahead of', () => json({ scheduledTime: Date.UTC(57_000, 0) })],
    ['over 5 min ahead', 'TICK_OUT_OF_RANGE', 'over 5m ahead', () => json({ scheduledTime: NOON + 307_001 })],
    [
      'over 5 min ahead, as ISO 8601',
      'TICK_OUT_OF_RANGE',
      'check the clocks of the caller and of this host',
      () => json({ scheduledTime: new Date(NOON + 307_001).toISOString() }),
    ],
    ['seconds for milliseconds', 'TICK_OUT_OF_RANGE', 'before 2015', () => json({ scheduledTime: NOON / 1_000 })],
    ['beyond any number', 'TICK_OUT_OF_RANGE', 'tick is Infinity', () => post('{"scheduledTime":1e999}')],
  ])(
    'F94 F71 F68 a request with a time that is %s is answered with 400 and %s, the log says why, and nothing is written',
    async (_, code, why, make) => {
      const told = vi.spyOn(console, 'warn').mockReturnValue();
      const { route, acquire, handler } = await setting();
      const response = await route(await make(), {});
      const [line] = told.mock.calls.map(([text]) => JSON.parse(text).message);
      told.mockRestore();

      expect([response.status, await response.json()]).toEqual([400, { status: 'error', code }]);
      expect(line).toMatch(/^lock "digest": a request was refused with status 400: /);
      expect(line).toContain(why);
      expect([acquire.mock.calls, handler.mock.calls]).toEqual([[], []]);
    },
  );

  test('row 36: one that is 5 min ahead of this clock is run: the clocks of two hosts differ', async () => {
    const { route } = await setting();

    expect((await route(json({ scheduledTime: NOON + 307_000 }), {})).status).toBe(200);
  });
});

describe('rows 44, 174: the name of the holder', () => {
  const server = `process ${process.pid} on web-1`;
  const setting = (env: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries({ HOSTNAME: 'web-1', ...env })) vi.stubEnv(name, value);
  };

  test.each<[string, Headers, string]>([
    ['Vercel Schedules', recorded('vercel-schedule'), 'request 01JABCDEF0123456789012345:1788350400000'],
    ['Vercel', recorded('vercel-cron'), 'request fra1::iad1::4zjcl-1788350400000-3b7a1f0c9d2e'],
    ['Netlify', { 'x-nf-request-id': '01J9' }, 'request 01J9'],
    ['Supabase', { 'sb-request-id': '0199' }, 'request 0199'],
    ['Cloudflare', { 'cf-ray': '8c5d-FRA' }, 'request 8c5d-FRA'],
    ['anybody else', { 'user-agent': 'curl/8.0' }, 'a request'],
  ])('is the request of %s, by its id', (_, headers, who) => {
    setting({});
    expect(whoCalls(get(headers))).toBe(`${who}, ${server}`);
    setting({ VERCEL: '1' });
    expect(whoCalls(get(headers))).toBe(who);
  });

  test('is the request alone on Lambda, and where the host is unknown', () => {
    setting({ AWS_LAMBDA_FUNCTION_NAME: 'digest' });
    expect(whoCalls(get({}))).toBe('a request');
    vi.unstubAllEnvs();
    vi.stubGlobal('process', { pid: 1, env: {} });
    expect(whoCalls(get({}))).toBe('a request');
  });
});

describe('row 197: a run by hand of a route', () => {
  const minutes = (ahead: number) => new Date(NOON + 7_000 + ahead * 60_000).toISOString();
  const google = (ahead?: number): Headers => ({
    'x-cloudscheduler': 'true',
    ...(ahead !== undefined && { 'x-cloudscheduler-scheduletime': minutes(ahead) }),
  });

  /** What a handler got of each request: its tick, `now` for a run by hand; or the code of a refusal. */
  async function asked(options: object, ...requests: Request[]) {
    const { options: common } = await setting();
    const given: unknown[] = [];
    const route = withSingleExecution(
      async (_request: Request, _context: unknown, { tick, isManual }) => {
        given.push(isManual ? 'now' : tick?.toISOString());
        return Response.json({});
      },
      { ...common, ...options },
    );
    for (const request of requests) {
      const response = await route(request);
      if (response.status !== 200)
        given.push([response.status, ((await response.json()) as { readonly code?: string }).code]);
    }
    return given;
  }

  test("F182 row 197: is Google's Force run, which sends no time, or one that is more than five minutes ahead", async () => {
    const days = 24 * 60;
    const requests = [google(), google(5 + 1 / 60_000), google(3 * days), google(400 * days)];

    expect(await asked({}, ...requests.map((headers) => get(headers)))).toEqual(['now', 'now', 'now', 'now']);
    const nearest = { tick: 'nearest', schedule: cron('0 12 * * *') };
    expect(await asked(nearest, get(google()), get(google(days)), get(google(0)))).toEqual([
      'now',
      'now',
      '2026-09-02T12:00:00.000Z',
    ]);
  });

  test("is none of Google's other requests, and of no other caller", async () => {
    const late = { ...google(), 'x-cloudscheduler-scheduletime': 'soon' };
    const other = { 'x-cloudscheduler-scheduletime': minutes(6) };

    expect(await asked({}, get(google(5)))).toEqual([minutes(5)]);
    expect(await asked({}, get(late), get(other), get({ 'x-cloudscheduler': 'false' }))).toEqual([
      [400, 'TICK_UNREADABLE'],
      [400, 'TICK_OUT_OF_RANGE'],
      [400, 'TICK_MISSING'],
    ]);
    const body = post(JSON.stringify({ scheduledTime: NOON }), { ...google(), 'content-type': 'application/json' });
    expect(await asked({}, body)).toEqual(['2026-09-02T12:00:00.000Z']);
  });

  test('is asked for by a header; with another value the request is refused', async () => {
    const now = { 'x-single-execution': 'now' };
    expect(await asked({}, get(now), get({ ...now, ...google(0) }))).toEqual(['now', 'now']);
    expect(await asked({ tick: 'none' }, get(now))).toEqual(['now']);
    const others = ['Now', 'later', '', 'now, now'].map((value) => get({ ...google(0), 'x-single-execution': value }));
    expect(await asked({}, ...others)).toEqual(others.map(() => [400, 'HEADER_UNKNOWN']));
  });

  test('is authorised like every request', async () => {
    const secret = 'a secret of this test';
    const headers = { 'x-single-execution': 'now' };
    expect(await asked({ secret }, get(headers), get(google()))).toEqual([
      [401, 'UNAUTHORIZED'],
      [401, 'UNAUTHORIZED'],
    ]);
    expect(await asked({ secret }, get({ ...headers, authorization: `Bearer ${secret}` }))).toEqual(['now']);
  });
});
