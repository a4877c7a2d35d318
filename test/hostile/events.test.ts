import fc from 'fast-check';
import type { Clock } from 'single-execution';
import { type MemoryStore, memoryStore } from 'single-execution/memory';
import { lambdaContext } from 'single-execution/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { readRecord } from '../../src/core/record/lock-record.js';
import { systemClock } from '../../src/core/values/clock.js';
import { anyTrigger, type Called, type Job, type Platform } from '../adapters/contract/platform.js';
import { cloudflare } from '../adapters/contract/platforms/cloudflare.js';
import { decorator } from '../adapters/contract/platforms/decorators.js';
import { http } from '../adapters/contract/platforms/http.js';
import { lambda } from '../adapters/contract/platforms/lambda.js';
import { middyHandler } from '../adapters/contract/platforms/middy.js';
import { process } from '../adapters/contract/platforms/process.js';
import { shiftedClock } from '../support/clocks.js';
import { anyText, anyValue, Untouchable } from '../support/hostile-values.js';
import { call } from '../support/one-run.js';

const DAY = 86_400_000;
/** A clock two days ahead: its ticks are newer than any tick that an accepted trigger can have. */
const LATER = shiftedClock(2 * DAY);

/** Instants as text or number. A schedule can have sent only few of them. */
const anyTime = fc.oneof(
  anyValue,
  fc.date({ min: new Date(0), max: new Date(8.64e15), noInvalidDate: true }).map((date) => date.toISOString()),
  fc.integer({ min: -DAY, max: 3 * DAY }).map((ms) => new Date(Date.now() + ms).toISOString()),
  fc.constantFrom(
    '+275760-09-13T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-01-01T00:00:00+99:99',
    '1970-01-01T00:00:00Z',
  ),
  fc.double(),
  fc.integer({ min: 1.7e9, max: 4e9 }),
  fc.maxSafeInteger(),
);
const sources = fc.oneof(fc.constantFrom(undefined, 'aws.events', 'aws.scheduler', 'aws.s3'), anyValue);

const anyEvent = fc.oneof(
  anyValue,
  fc.record(
    {
      time: anyTime,
      scheduledTime: anyTime,
      source: sources,
      scheduleArn: anyValue,
      attemptNumber: anyValue,
      resources: anyValue,
    },
    { requiredKeys: [] },
  ),
  fc.dictionary(fc.constantFrom('scheduledTime', 'time', 'attemptNumber', 'toString', 'valueOf'), fc.jsonValue()),
);
const nearContext = fc
  .record(
    {
      getRemainingTimeInMillis: fc.oneof(
        anyValue,
        anyValue.map((value) => () => value),
      ),
      ...{ functionName: anyValue, functionVersion: anyValue, invokedFunctionArn: anyValue, awsRequestId: anyText },
    },
    { requiredKeys: [] },
  )
  .map((context) => ({ ...lambdaContext(), ...context }));
const anyContext = fc.oneof(anyValue, nearContext);
const anyController = fc.oneof(
  anyValue,
  fc.record({ scheduledTime: anyTime, cron: anyValue, noRetry: anyValue }, { requiredKeys: [] }),
);
/** Instants that a schedule can have sent. */
const recent = fc.integer({ min: -30 * DAY, max: 0 }).map((ms) => new Date(Date.now() + ms));
const anyTask = fc.oneof(
  anyValue,
  fc.record({
    date: fc.oneof(anyValue, fc.date({ noInvalidDate: false }), recent),
    triggeredAt: fc.oneof(anyValue, fc.date()),
  }),
  fc.record({ date: recent, triggeredAt: recent }),
);
const anyHeaders = fc.dictionary(
  fc.constantFrom(
    'authorization',
    'content-type',
    'ce-vssscheduledat',
    'x-cloudscheduler-scheduletime',
    'ce-id',
    'cf-ray',
  ),
  fc
    .oneof(anyTime, anyText)
    .map((value) => encodeURI(`${typeof value === 'object' ? 'x' : String(value)}`.replace(/\p{Surrogate}/gu, ''))),
);
const anyRequest = fc.oneof(
  anyValue,
  fc
    .tuple(
      fc.oneof(fc.constant({}), anyHeaders),
      fc.oneof(
        fc.json(),
        { weight: 6, arbitrary: recent.map((scheduledTime) => json({ scheduledTime })) },
        anyTime.map((scheduledTime) => json({ scheduledTime })),
        anyText,
      ),
    )
    .map(
      ([headers, body]) =>
        new Request('http://localhost/', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body,
        }),
    ),
);

/** For each platform, any arguments of a call. */
const CALLS: readonly (readonly [Platform, fc.Arbitrary<readonly unknown[]>])[] = [
  [lambda, fc.tuple(anyEvent, anyContext)],
  // Middy itself replaces a missing event, and writes to the context.
  [middyHandler, fc.tuple(anyEvent, nearContext).filter(([event]) => event !== undefined)],
  [cloudflare, fc.tuple(anyController, anyValue, anyValue)],
  [http, fc.tuple(anyRequest)],
  [process, fc.tuple(anyTask)],
  [decorator, fc.tuple(anyTask)],
];

// Do not print the warnings that Lambda and routes log about refused calls.
beforeEach(() => {
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  return () => logged.mockRestore();
});

for (const [platform, anyArgs] of CALLS) {
  test(`F71 F94 any trigger of ${platform.title} runs the handler once with the very arguments or is refused in words, and the next tick still runs`, async () => {
    let ran = 0;
    const keepsRunning = fc.asyncProperty(anyArgs, async (args) => {
      const store = memoryStore();
      const calls: (readonly unknown[])[] = [];
      const wrapped = wrap(platform, store, systemClock, ({ args: given }) => calls.push(given));
      const [result] = await Promise.allSettled([(async () => wrapped(...args))()]);
      // A route refuses a request without a valid time with status 400.
      const isRefused = result.status === 'fulfilled' && (result.value as Response | undefined)?.status === 400;
      if (isRefused) expect(calls).toEqual([]);
      else if (result.status === 'fulfilled') {
        expect(calls).toHaveLength(1);
        for (const [place, arg] of args.entries()) expect(Object.is(calls[0]?.[place], arg)).toBe(true);
        ran++;
      } else {
        expectRefusal(result.reason);
        expect(calls).toEqual([]);
        // A context that throws when it is passed to the handler makes the run fail, and the run frees the lock.
        const wrote = result.reason instanceof Untouchable ? [{ item: { state: 'released', result: 'failed' } }] : [];
        const stored = await store.list(call());
        if (stored.length > 0) expect(stored).toMatchObject(wrote);
      }
      const [lock] = await store.list(call());
      if (lock) {
        const { tick, doneTick } = readRecord(lock.name, lock.item);
        for (const instant of [tick, doneTick]) {
          if (instant !== undefined) expect(instant).toBeLessThanOrEqual(Date.now() + DAY);
        }
      }
      expect(await runsLater(platform, store)).toBe(1);
    });
    await fc.assert(keepsRunning, { numRuns: 400 });
    expect(ran).toBeGreaterThan(40);
  });
}

function wrap(platform: Platform, store: MemoryStore, clock: Clock, job: Job): Called {
  const options = { name: 'digest', store, lockAtMostFor: '1m', observers: [], clock, ...platform.options };
  const answering: Job = (given) => {
    job(given);
    return new Response('done');
  };
  return platform.wrap(answering, options as never);
}

/** How often the handler runs for a valid trigger two days later. */
async function runsLater(platform: Platform, store: MemoryStore): Promise<number> {
  let runs = 0;
  const args = platform.argsOf({ ...anyTrigger, time: LATER.now() });
  await wrap(platform, store, LATER, () => runs++)(...args);
  return runs;
}

/** Expects a TypeError or RangeError that names what is wrong, or the error that an untouchable argument has thrown. */
function expectRefusal(error: unknown): void {
  if (error instanceof Untouchable) return;
  expect(error).toBeInstanceOf(Error);
  expect(['TypeError', 'RangeError']).toContain((error as Error).name);
  expect((error as Error).message).toMatch(/^(tick|controller|request|lockAtMostFor|lock "digest") is /);
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch {
    return '{';
  }
}
