import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { clearedEngine } from '../support/backends/stage.js';
import { gate } from '../support/gate.js';
import { closed, listening } from '../support/loopback.js';
import { bundleWorker, type RunningWorker, startWorker, type WorkerBundle } from './workerd.js';

/*
 * Workers in the real workerd, with the unmodified @upstash/redis and a real Redis behind a copy of Upstash's REST API.
 */

const TICK = '2026-01-01T00:15:00.000Z';
const NEXT_TICK = '2026-01-01T00:30:00.000Z';
const RATES = { base: 'EUR', date: '2026-01-01', rates: { USD: 1.1 } };

const { client: redis, bridge } = await clearedEngine('upstash');
const answerOfApi = vi.fn<() => Promise<{ readonly status: number; readonly body: unknown }>>();
const api = createServer(async (_request, response) => {
  const { status, body } = await answerOfApi();
  response.writeHead(status).end(JSON.stringify(body));
});
const settings = { api: `http://127.0.0.1:${await listening(api)}/`, url: bridge.url, token: bridge.token };
afterAll(() => closed(api));
beforeEach(() => {
  answerOfApi.mockReset().mockImplementation(async () => ({ status: 200, body: RATES }));
});

const EXAMPLE = fileURLToPath(new URL('../../handlers/exchange-rates.worker.ts', import.meta.url));
const PROBE = fileURLToPath(new URL('./probe.worker.ts', import.meta.url));
const lock = (name: string) => redis.hgetall(`lock:${name}`);

/** Holds back the next answer of the service, while the handler is running. */
function holdAnswer() {
  const [asked, answer] = [gate(), gate()];
  answerOfApi.mockImplementationOnce(async () => {
    asked.open();
    await answer.opened;
    return { status: 200, body: RATES };
  });
  return { asked: asked.opened, answer };
}

describe('the example Worker', () => {
  let bundled: WorkerBundle;
  let worker: RunningWorker;

  beforeAll(async () => {
    bundled = await bundleWorker(EXAMPLE);
    worker = await startWorker(bundled, {
      RATES_API_URL: settings.api,
      UPSTASH_REDIS_REST_URL: settings.url,
      UPSTASH_REDIS_REST_TOKEN: settings.token,
    });
    await run(
      'CREATE TABLE rates (base TEXT PRIMARY KEY, rates TEXT NOT NULL, as_of TEXT NOT NULL, fencing_token INTEGER NOT NULL)',
    );
  });
  afterAll(async () => {
    const printed = await worker.stop();
    // Besides skips, one line is printed, in the test in which the store hangs. workerd itself prints nothing.
    const types = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(types.filter((type) => type !== 'skipped')).toEqual(['acquire-failed']);
  });
  beforeEach(() => run('DELETE FROM rates'));
  afterEach(async () => {
    expect(await worker.lost()).toEqual([]);
  });

  const run = (sql: string, ...values: unknown[]) =>
    worker.database
      .prepare(sql)
      .bind(...values)
      .run();
  const row = () => worker.database.prepare('SELECT * FROM rates').bind().first();

  test('row 65: is one module that imports nothing, in 51 kB with @upstash/redis', () => {
    expect(bundled.imports).toEqual([]);
    expect(bundled.gzipBytes).toBeLessThan(51_000);
  });

  test('row 66: of two triggers at once one runs, and a third is skipped', async () => {
    const { answer } = holdAnswer();
    const both = [worker.trigger(TICK), worker.trigger(TICK)];
    await Promise.race(both);
    answer.open();

    expect(await Promise.all(both)).toEqual(['ok', 'ok']);
    expect(await worker.trigger(TICK)).toBe('ok');
    expect(answerOfApi).toHaveBeenCalledTimes(1);

    const { fencingToken, doneTick } = await lock('exchange-rates');
    expect(doneTick).toBe(String(Date.parse(TICK)));
    expect(await row()).toEqual({
      base: 'EUR',
      rates: '{"USD":1.1}',
      as_of: '2026-01-01',
      fencing_token: Number(fencingToken),
    });
  });

  test('F1: runs once when the answer to its acquire is lost', async () => {
    await worker.trigger(TICK);
    const sent = bridge.requests().length;
    bridge.inject('drop-response');

    expect(await worker.trigger(NEXT_TICK)).toBe('ok');
    expect(answerOfApi).toHaveBeenCalledTimes(2);
    const [first, second] = bridge.requests().slice(sent);
    expect(second?.body).toEqual(first?.body);
  });

  test('row 30: reports a failed run to the platform, whose next delivery of the tick runs', async () => {
    answerOfApi.mockImplementationOnce(async () => ({ status: 503, body: {} }));

    expect(await worker.trigger(TICK)).toBe('exception');
    expect(await lock('exchange-rates')).toMatchObject({ state: 'released', result: 'failed' });
    expect(await lock('exchange-rates')).not.toHaveProperty('doneTick');
    expect(await worker.trigger(TICK)).toBe('ok');
    expect(await row()).toMatchObject({ base: 'EUR' });
  });

  test('row 7: writes over what an earlier run wrote, and not over what a later one did', async () => {
    const insert = (token: number) =>
      run(
        'INSERT INTO rates VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET fencing_token = ?4',
        'EUR',
        '',
        '',
        token,
      );

    await insert(9e15);
    expect(await worker.trigger(TICK)).toBe('exception');
    expect(await row()).toMatchObject({ rates: '', fencing_token: 9e15 });
    await insert(1);
    expect(await worker.trigger(TICK)).toBe('ok');
    expect(await row()).toMatchObject({ rates: '{"USD":1.1}' });
  });

  test('row 50: a store that hangs is an error, never a lock, and the tick stays open', async () => {
    let hanging = true;
    bridge.inject('hang', { when: () => hanging, times: Number.POSITIVE_INFINITY });

    expect(await worker.trigger(TICK)).toBe('exception');
    hanging = false;
    expect(answerOfApi).not.toHaveBeenCalled();
    expect(await lock('exchange-rates')).toEqual({});
    expect(await worker.trigger(TICK)).toBe('ok');
  });
});

describe('a Worker', () => {
  let worker: RunningWorker;

  beforeAll(async () => {
    const { api: API_URL, url: REST_URL, token: REST_TOKEN } = settings;
    const bundled = await bundleWorker(PROBE);
    worker = await startWorker(bundled, { API_URL, REST_URL, REST_TOKEN }, { compatibilityFlags: ['nodejs_compat'] });
  });
  afterAll(() => worker.stop());
  beforeEach(() => worker.ask('/events'));

  const skips = async () =>
    (JSON.parse(await worker.ask('/events')) as { type: string; reason?: string }[])
      .filter(({ type }) => type === 'skipped')
      .map(({ reason }) => reason);

  test('row 66: skips an overlap as locked, and a tick that is done as executed already', async () => {
    const { asked, answer } = holdAnswer();
    const first = worker.trigger(TICK, 'in the background');
    await asked;
    await worker.trigger(TICK);
    answer.open();
    await first;
    await worker.trigger(TICK);

    expect(await skips()).toEqual(['locked', 'already-executed']);
  });

  test('F42: work that was handed to waitUntil is part of the run, and so is its failure', async () => {
    const { asked, answer } = holdAnswer();
    const running = worker.trigger(TICK, 'in the background');
    await asked;
    expect(await lock('probe')).toMatchObject({ state: 'held' });
    answer.open();
    expect(await running).toBe('ok');
    expect(await lock('probe')).toMatchObject({ state: 'released', result: 'succeeded' });

    answerOfApi.mockImplementationOnce(async () => ({ status: 500, body: {} }));
    expect(await worker.trigger(NEXT_TICK, 'in the background')).toBe('exception');
    expect(await lock('probe')).toMatchObject({ result: 'failed', doneTick: String(Date.parse(TICK)) });
    expect(await worker.lost()).toEqual([]);
  });

  test('row 25: asks a run that outlives its lease to stop, and reports that it did', async () => {
    expect(await worker.trigger(TICK, 'too long')).toBe('exception');

    expect(await lock('probe')).not.toHaveProperty('doneTick');
    expect(await worker.trigger(TICK)).toBe('ok');
    expect(await worker.lost()).toEqual([]);
  });

  test('row 19: reading the signal shows that the lease is over, before any timer has fired', async () => {
    // `AbortSignal.any` and `fetch` are not here: they read the signal inside the platform.
    expect(JSON.parse(await worker.ask('/asked-early'))).toEqual([
      'aborted',
      'throwIfAborted',
      'timers/promises',
      'events.once',
      'new Request',
    ]);
  });

  test('row 59: finds its execution deep in the stack, with the flag nodejs_compat', async () => {
    expect(await worker.trigger(TICK, 'deep in the stack')).toBe('ok');
  });

  test('row 66: has a route whose store all its requests share', async () => {
    const answer = gate();
    answerOfApi.mockImplementation(async () => {
      await answer.opened;
      return { status: 200, body: { status: 'ran' } };
    });
    const statusOf = async (name: number) => JSON.parse(await worker.ask(`/route?${name}`)).status;
    const [both, others] = [[1, 1].map(statusOf), [2, 3, 4, 5].map(statusOf)];
    await vi.waitFor(() => expect(answerOfApi).toHaveBeenCalledTimes(5), { timeout: 60_000 });
    expect(await Promise.race(both)).toBe('skipped');
    answer.open();

    expect((await Promise.all(both)).sort()).toEqual(['ran', 'skipped']);
    expect(await Promise.all(others)).toEqual(['ran', 'ran', 'ran', 'ran']);
  });

  test('row 199: runs by hand from a route, and the ticks before and after it run once each', async () => {
    for (const tick of [TICK, NEXT_TICK]) {
      await worker.trigger(tick);
      await worker.ask('/now');
      await worker.trigger(tick);
    }

    expect(await lock('probe')).toMatchObject({ doneTick: String(Date.parse(NEXT_TICK)), result: 'succeeded' });
    const rows = Object.entries(await lock('probe')).filter(([field]) => /^r\d$/.test(field));
    rows.sort();
    const ticks = [Date.parse(TICK).toString(36), '!', Date.parse(NEXT_TICK).toString(36), '!'];
    expect(rows.map(([, row]) => String(row).split('|').slice(0, 2))).toEqual(ticks.map((tick) => ['s', tick]));
  });

  test('the watch over rejections sees one', async () => {
    await worker.trigger(TICK, 'careless');

    expect(await worker.lost()).toEqual(['Error: nobody cares']);
  });
});
