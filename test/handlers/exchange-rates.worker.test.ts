import { memoryStore } from 'single-execution/memory';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';

/*
 * Tests the Worker without workerd, Redis or D1. test/edge/workerd.test.ts tests its SQL and its bundle on the real
 * ones.
 */

const load = () => import('../../handlers/exchange-rates.worker.js');
let worker: Awaited<ReturnType<typeof load>>['default'];

const bound = vi.fn<(...values: (string | number)[]) => void>();
const fetched = vi.fn<typeof fetch>();
let changes: number;

afterAll(() => vi.doUnmock('single-execution/upstash'));
beforeEach(async () => {
  const store = memoryStore();
  vi.resetModules();
  vi.doMock('single-execution/upstash', () => ({ upstashStore: () => store }));
  ({ default: worker } = await load());
  changes = 1;
  bound.mockReset();
  fetched
    .mockReset()
    .mockImplementation(async () => Response.json({ base: 'EUR', date: '2026-01-01', rates: { USD: 1.1 } }));
  vi.stubGlobal('fetch', fetched);
});

const DB = {
  prepare: () => ({
    bind(...values: (string | number)[]) {
      bound(...values);
      return { run: async () => ({ meta: { changes } }) };
    },
  }),
};
const env = {
  DB,
  RATES_API_URL: 'https://rates.example/latest',
  UPSTASH_REDIS_REST_URL: 'https://redis.example',
  UPSTASH_REDIS_REST_TOKEN: 'token',
};
const ctx = { waitUntil: () => {}, passThroughOnException: () => {} };
const trigger = (time: string) =>
  worker.scheduled({ scheduledTime: Date.parse(time), cron: '*/15 * * * *', noRetry: () => {} }, env, ctx);

test('keeps the rates, with the token of the run that fetched them', async () => {
  await trigger('2026-01-01T00:15:00Z');

  expect(fetched.mock.calls[0]?.[0]).toBe('https://rates.example/latest');
  expect(bound.mock.calls).toEqual([['EUR', '{"USD":1.1}', '2026-01-01', expect.any(Number)]]);
});

test('row 66: runs once for a trigger that comes twice, at once or later', async () => {
  await Promise.all([trigger('2026-01-01T00:15:00Z'), trigger('2026-01-01T00:15:00Z')]);
  await trigger('2026-01-01T00:15:00Z');
  expect(fetched).toHaveBeenCalledTimes(1);

  await trigger('2026-01-01T00:30:00Z');
  expect(fetched).toHaveBeenCalledTimes(2);
});

test('fails where the rates cannot be had, and runs when the trigger comes again', async () => {
  fetched.mockImplementationOnce(async () => new Response('down', { status: 503 }));

  await expect(trigger('2026-01-01T00:15:00Z')).rejects.toThrow('exchange rates failed: HTTP 503');
  await trigger('2026-01-01T00:15:00Z');
  expect(bound).toHaveBeenCalledTimes(1);
});

test('row 7: fails rather than report that it has overwritten what a successor wrote', async () => {
  changes = 0;

  await expect(trigger('2026-01-01T00:15:00Z')).rejects.toThrow('exchange rates of EUR were written by a later run');
});
