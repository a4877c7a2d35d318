import { acquireLock, executeWithLock, type Observer } from 'single-execution';
import { createLeaderElection, type ElectionOptions } from 'single-execution/leader';
import { memoryStore } from 'single-execution/memory';
import { checkInObserver, emfObserver, jsonLogObserver, loggerObserver, otelObserver } from 'single-execution/observe';
import { cron } from 'single-execution/schedule';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/core/values/clock.js';
import { anyTrigger, type Job, type Platform } from '../adapters/contract/platform.js';
import { PLATFORMS } from '../adapters/contract/platforms.js';
import { untilUnhandledAreTold } from '../support/settled.js';
import { DOORS } from './doors.js';

/*
 * Each function of a user that the library calls, as an async function that rejects, or as one whose result cannot even
 * be read. TypeScript refuses most of them; in JavaScript an `async` too many is one word. The process must go on, and
 * where the library needs the result there must be a clear error.
 */

type Callback = (...args: unknown[]) => unknown;

const unhandled: string[] = [];
let others: NodeJS.UnhandledRejectionListener[] = [];
beforeAll(() => {
  // Vitest listens too, and would fail the run before the tests can say which function it was.
  others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (error) => unhandled.push(String(error)));
  for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockReturnValue();
});
afterAll(() => {
  process.removeAllListeners('unhandledRejection');
  for (const listener of others) process.on('unhandledRejection', listener);
});

/** Makes a careless function; the label tells which one it is. */
type Careless = (label: string) => Callback;
const CARELESS: Readonly<Record<string, Careless>> = {
  'is async and rejects': (label) => () => Promise.reject(new Error(label)),
  'returns what cannot be read': (label) => () => Object.defineProperty({}, 'then', { get: () => fail(label) }),
};
function fail(label: string): never {
  throw new Error(label);
}

/** Something with one of its functions replaced. */
function withOne(whole: object, name: string, careless: Callback): object {
  const copy = typeof whole === 'function' ? () => undefined : Object.create(whole);
  return Object.defineProperty(copy, name, { value: careless, enumerable: true });
}

/** The options that are objects with functions: each with one of its functions replaced. */
const INSIDE: Readonly<Record<string, { readonly whole: object; readonly functions: readonly string[] }>> = {
  store: { whole: memoryStore(), functions: ['acquire', 'extend', 'mark', 'release', 'checkIn'] },
  clock: { whole: systemClock, functions: ['now', 'monotonic', 'setTimer'] },
  schedule: { whole: cron('* * * * *'), functions: ['previous', 'next', 'between', 'toString'] },
};

/** Every careless value of an option, by its label. */
function carelessOf(option: string, careless: Careless): Record<string, unknown> {
  const { whole = {}, functions = [] } = INSIDE[option] ?? {};
  const inside = functions.map((name) => [`${option}.${name}`, withOne(whole, name, careless(`${option}.${name}`))]);
  const observers = {
    'an observer': [careless('an observer')],
    'beginTrace of an observer': [withOne(() => undefined, 'beginTrace', careless('beginTrace of an observer'))],
  };
  return {
    [option]: careless(option),
    ...Object.fromEntries(inside),
    ...(option === 'observers' && observers),
  };
}

/** Ways to call, so that each function of an option is needed in one of them. */
const WAYS = [{}, { tick: 'nearest' }, { tick: 'nearest', catchUp: { mode: 'all' } }, { keepAlive: true }];
const SOUND = { name: 'digest', lockAtMostFor: '1m', schedule: cron('* * * * *'), secret: false, tick: 'none' };

/** Calls, and resolves to the error; undefined if there is none within the time that a store may take. */
async function errorOf(call: () => unknown): Promise<unknown> {
  const tooLong = new Promise((resolve) => void setTimeout(resolve, 8_000));
  try {
    await Promise.race([call(), tooLong]);
    return undefined;
  } catch (error) {
    return error;
  }
}

type Call = readonly [label: string, call: () => unknown];

/** The calls of a door, each with one careless function. */
function callsOf([door, names, call]: (typeof DOORS)[number], how: string, careless: Careless): Call[] {
  const known = (options: object) =>
    Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
  const tick = door === 'executeWithLock' ? { tick: new Date() } : {};
  return names.flatMap((option) => {
    const values = Object.entries(carelessOf(option, (label) => careless(`${door}: ${label} ${how}`)));
    return values.flatMap(([label, value]) =>
      (option in INSIDE ? WAYS : [{}]).map((way): Call => {
        const options = { ...known({ ...SOUND, ...way, ...tick }), store: memoryStore(), [option]: value };
        return [`${door}: ${label} ${how}`, () => call(options as never, () => new Response('done'))];
      }),
    );
  });
}

describe('row 147: no option of a door ends the process by a promise that rejects', () => {
  const errors = new Map<string, unknown[]>();
  beforeAll(async () => {
    const calls = Object.entries(CARELESS).flatMap(([how, careless]) =>
      DOORS.flatMap((door) => callsOf(door, how, careless)),
    );
    await Promise.all(
      calls.map(async ([label, call]) => {
        const error = await errorOf(call);
        errors.set(label, [...(errors.get(label) ?? []), error]);
      }),
    );
    await untilUnhandledAreTold();
  });

  test.each(DOORS)('row 147: %s', (door) => {
    expect([...errors.keys()].filter((label) => label.startsWith(`${door}:`)).length).toBeGreaterThan(10);
    expect([...new Set(unhandled.filter((error) => error.startsWith(`Error: ${door}:`)))].sort()).toEqual([]);
  });

  test('row 147: a promise in place of a value is a clear error', () => {
    const told = (label: string) => {
      const text = (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      return [...new Set((errors.get(`${label} is async and rejects`) ?? []).map(text))];
    };
    const expected = (what: string) => [
      `TypeError: ${what} returned a promise: return the value itself, without async`,
    ];

    expect(told('a job of a process: name')).toEqual(expected('name'));
    expect(told('a job of a process: tick')).toEqual(expected('tick'));
    expect(told('a Worker: store')).toEqual(expected('store'));
    for (const its of ['now', 'monotonic', 'setTimer']) {
      expect(told(`executeWithLock: clock.${its}`)).toEqual(expected(`clock.${its}`));
    }
    expect(told('a job of a process: schedule.previous')).toContain(expected('schedule.previous')[0]);
    expect(told('a job of a process: schedule.next')).toContain(expected('schedule.next')[0]);
  });
});

/** Runs that fail and that succeed, with these observers. */
async function observed(...observers: readonly Observer[]): Promise<void> {
  const options = { name: 'observed', store: memoryStore(), lockAtMostFor: '1m', observers } as const;
  await executeWithLock(() => 'done', options);
  await errorOf(() => executeWithLock(() => fail('of the task'), options));
  await executeWithLock(() => executeWithLock(() => 'held', { ...options, observers: [] }), options);
  const inner = await acquireLock(options);
  await executeWithLock(() => 'skipped', options);
  await inner.release();
}

/** An object whose functions are all careless, but those that return such an object. */
const allCareless = (
  careless: Callback,
  functions: readonly string[],
  makers: Readonly<Record<string, object>> = {},
) => ({
  ...Object.fromEntries(functions.map((name) => [name, careless])),
  ...Object.fromEntries(Object.entries(makers).map(([name, made]) => [name, () => made])),
});

const SPAN = ['setAttributes', 'addEvent', 'addLink', 'setStatus', 'end'];
const SPAN_CONTEXT = { spanContext: { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 } };
const instrument = (careless: Callback) => allCareless(careless, ['add', 'record']);

/** Functions that are no options of a door. */
const OTHERS: Readonly<Record<string, (careless: Callback) => unknown>> = {
  'a logger': (careless) => observed(loggerObserver(allCareless(careless, ['info', 'warn', 'error']) as never)),
  // Not by a spy of Vitest, which handles the rejections of its functions.
  'the console': async (careless) => {
    vi.stubGlobal('console', allCareless(careless, ['info', 'warn', 'error']));
    await observed(jsonLogObserver());
  },
  stdout: async (careless) => {
    const { stdout } = process;
    const { write } = stdout;
    stdout.write = careless as typeof write;
    try {
      await observed(emfObserver());
    } finally {
      stdout.write = write;
    }
  },
  'fetch of check-ins': async (careless) => {
    vi.stubGlobal('fetch', careless);
    const checkIns = checkInObserver({ url: 'https://example.com/check-in' });
    await observed(checkIns);
    await checkIns.settled();
  },
  'the body of check-ins': async (careless) => {
    vi.stubGlobal('fetch', async () => ({ ok: true, status: 200, body: { cancel: careless } }));
    const checkIns = checkInObserver({ url: 'https://example.com/check-in' });
    await observed(checkIns);
    await checkIns.settled();
  },
  'a tracer': (careless) => observed(otelObserver({ tracer: { startSpan: careless as never } })),
  'a span': (careless) =>
    observed(otelObserver({ tracer: { startSpan: () => allCareless(careless, SPAN, SPAN_CONTEXT) as never } })),
  'spanContext of a span': (careless) =>
    observed(otelObserver({ tracer: { startSpan: () => allCareless(careless, [...SPAN, 'spanContext']) as never } })),
  'a meter': (careless) =>
    observed(otelObserver({ meter: allCareless(careless, ['createCounter', 'createHistogram']) as never })),
  'instruments of a meter': (careless) => {
    const makers = { createCounter: instrument(careless), createHistogram: instrument(careless) };
    return observed(otelObserver({ meter: allCareless(careless, [], makers) as never }));
  },
  'onStarted and onStopped of an election': (careless) => served({ onStarted: careless, onStopped: careless }),
  'checkIn of the store of an election': (careless) =>
    served({ store: withOne(memoryStore(), 'checkIn', careless) as ElectionOptions['store'] }),
  'observers of an election': (careless) => served({ observers: [careless as Observer] }),
  ...Object.fromEntries(
    ['waitUntil', 'getRemainingTimeInMillis'].flatMap((name) =>
      PLATFORMS.filter((platform) => argsOf(platform).some((arg) => name in Object(arg))).map((platform) => [
        `${name} of ${platform.title}`,
        (careless: Callback) => withContext(platform, name, careless),
      ]),
    ),
  ),
};

function argsOf(platform: Platform): unknown[] {
  return platform.argsOf({ ...anyTrigger, time: Date.now(), waitUntil: () => undefined });
}

async function served(options: Partial<ElectionOptions>): Promise<void> {
  const election = createLeaderElection({ name: 'leader', store: memoryStore(), retryEvery: '20ms', ...options });
  election.start();
  await new Promise((resolve) => setTimeout(resolve, 100));
  await election.stop();
}

/** A run whose handler uses `waitUntil`, on a platform whose context has a careless function. */
async function withContext(platform: Platform, name: string, careless: Callback): Promise<void> {
  const job: Job = ({ args }) => {
    const context = args.find((arg) => 'waitUntil' in Object(arg)) as { waitUntil: Callback } | undefined;
    context?.waitUntil(Promise.resolve());
    return new Response('done');
  };
  const args = argsOf(platform);
  for (const arg of args) if (name in Object(arg)) Object.assign(arg as object, { [name]: careless });
  const options = { ...platform.options, name: 'digest', store: memoryStore(), lockAtMostFor: '1m' };
  await errorOf(() => platform.wrap(job, options as never)(...args));
}

describe.each(Object.entries(CARELESS))('row 147: a function of the user %s', (how, careless) => {
  test.each(Object.entries(OTHERS))('row 147: %s does not end the process', async (name, use) => {
    const label = `${name} ${how}`;
    await use(careless(label));
    await untilUnhandledAreTold();
    expect(unhandled.filter((error) => error === `Error: ${label}`)).toEqual([]);
  });
});
