import { execFileSync } from 'node:child_process';
import { type LockEvent, LockStoreError, type Options, withSingleExecution } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext, manualClock, scheduledEvent } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { EMF_METRICS } from '../../src/core/observers/emf-metrics.js';
import type { EventBody } from '../../src/core/public/events.js';
import { type EmfOptions, emfObserver } from '../../src/observe/observe.js';
import { emfProblems } from '../support/emf-check.js';
import { pass } from '../support/pass.js';
import { grantOf, scriptedStore } from '../support/scripted-store.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

let written: MockInstance<typeof process.stdout.write>;
beforeEach(() => {
  vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', undefined);
  written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** What was written, line by line; each must be one that CloudWatch takes. Attempt ids, which are random, become a1. */
function texts(): string[] {
  const lines = written.mock.calls.map(([text]) => String(text));
  expect(lines.flatMap(emfProblems)).toEqual([]);
  return lines.map((line) => line.replace(/"AttemptId":"a[\w-]{22}"/, '"AttemptId":"a1"'));
}

const lines = () => texts().map((text) => JSON.parse(text));

function expected(at: string, metrics: readonly (readonly [name: string, unit: string])[], members: object): object {
  return {
    _aws: {
      Timestamp: Date.parse(at),
      CloudWatchMetrics: [
        {
          Namespace: 'SingleExecution',
          Dimensions: [['LockName']],
          Metrics: metrics.map(([Name, Unit]) => ({ Name, Unit })),
        },
      ],
    },
    LockName: 'digest',
    AttemptId: 'a1',
    ...members,
  };
}

type Tuning = Partial<Omit<Options<unknown>, 'onSkipped'>>;

/** A function around a task of so many milliseconds, and its invocations at midnight's tick. */
function setting(over: Tuning = {}) {
  const clock = manualClock(NOW);
  const options = { name: 'digest', store: memoryStore(), clock, observers: [emfObserver()], ...over };
  const invoke = (task: () => unknown, time = '2026-01-01T00:00:00Z', tuning: Tuning = {}) => {
    const context = lambdaContext({ clock, awsRequestId: 'r1' });
    return withSingleExecution(task, { ...options, ...tuning })(scheduledEvent({ time }), context);
  };
  return { clock, invoke };
}

const unobserved: Tuning = { observers: [] };
const TICK = { Tick: '2026-01-01T00:00:00.000Z' };
const ATTEMPT = expected('2026-01-01T00:00:00Z', [['Attempts', 'Count']], { Attempts: 1, ...TICK });

const event = (body: EventBody, name = 'digest'): LockEvent => ({ name, at: new Date(NOW), ...body });
const storeError = new LockStoreError('acquire of lock "digest" failed: Error; see the cause', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'acquire',
  retryable: true,
});

describe('row 47: emfObserver() writes the metrics', () => {
  test('row 47: of a run that succeeds, in lines that are exactly these', async () => {
    const { clock, invoke } = setting();
    const running = invoke(() => pass(clock, 1_500));
    await clock.advance(2_000);
    await running;

    expect(texts()).toEqual([
      '{"_aws":{"Timestamp":1767225600000,"CloudWatchMetrics":[{"Namespace":"SingleExecution","Dimensions":[["LockName"]],"Metrics":[{"Name":"Attempts","Unit":"Count"}]}]},"LockName":"digest","Attempts":1,"Tick":"2026-01-01T00:00:00.000Z","AttemptId":"a1"}\n',
      '{"_aws":{"Timestamp":1767225601500,"CloudWatchMetrics":[{"Namespace":"SingleExecution","Dimensions":[["LockName"]],"Metrics":[{"Name":"HoldTime","Unit":"Milliseconds"}]}]},"LockName":"digest","HoldTime":1500,"Tick":"2026-01-01T00:00:00.000Z","AttemptId":"a1","FencingToken":1767225600001}\n',
      '{"_aws":{"Timestamp":1767225601500,"CloudWatchMetrics":[{"Namespace":"SingleExecution","Dimensions":[["LockName"]],"Metrics":[{"Name":"Executed","Unit":"Count"},{"Name":"Duration","Unit":"Milliseconds"}]}]},"LockName":"digest","Executed":1,"Duration":1500,"Tick":"2026-01-01T00:00:00.000Z","AttemptId":"a1"}\n',
    ]);
  });

  test('row 47: F89 of a run that fails, by the name of its error and without the message', async () => {
    const { clock, invoke } = setting();
    const failing = invoke(async () => {
      await pass(clock, 250);
      throw new TypeError('AKIA-SECRET');
    });
    const rejected = expect(failing).rejects.toThrow('AKIA-SECRET');
    await clock.advance(1_000);
    await rejected;

    expect(lines()).toEqual([
      ATTEMPT,
      expected('2026-01-01T00:00:00.250Z', [['HoldTime', 'Milliseconds']], {
        HoldTime: 250,
        FencingToken: 1_767_225_600_001,
        ...TICK,
      }),
      expected(
        '2026-01-01T00:00:00.250Z',
        [
          ['Failed', 'Count'],
          ['Duration', 'Milliseconds'],
        ],
        { Failed: 1, Duration: 250, Error: 'TypeError', ...TICK },
      ),
    ]);
    expect(texts().join()).not.toContain('AKIA-SECRET');
  });

  test('row 47: of a run that is skipped, with the reason and the holder', async () => {
    const { clock, invoke } = setting();
    const running = invoke(() => pass(clock, 10_000), undefined, unobserved);
    await clock.advance(4_000);
    await invoke(() => {});
    await clock.advance(6_000);
    await running;
    await invoke(() => {});

    const skipped = [['Skipped', 'Count']] as const;
    const Holder = 'send-digest $LATEST eu-west-1 r1';
    expect(lines()).toEqual([
      expected('2026-01-01T00:00:04Z', [['Attempts', 'Count']], { Attempts: 1, ...TICK }),
      expected('2026-01-01T00:00:04Z', skipped, { Skipped: 1, Reason: 'locked', Holder, ...TICK }),
      expected('2026-01-01T00:00:10Z', [['Attempts', 'Count']], { Attempts: 1, ...TICK }),
      expected('2026-01-01T00:00:10Z', skipped, { Skipped: 1, Reason: 'already-executed', Holder, ...TICK }),
    ]);
  });

  test('row 47: of a run that finds four ticks missed', async () => {
    const { clock, invoke } = setting({ schedule: '5m' });
    await invoke(() => {}, undefined, unobserved);
    await clock.advance(1_500_000);
    await invoke(() => {}, '2026-01-01T00:25:00Z');

    expect(lines()[1]).toEqual(
      expected('2026-01-01T00:25:00Z', [['Missed', 'Count']], { Missed: 4, Tick: '2026-01-01T00:25:00.000Z' }),
    );
  });

  test('row 47: of a run that loses its lock, once', async () => {
    const { clock, invoke } = setting({ lockAtMostFor: '1m' });
    const running = invoke(() => pass(clock, 90_000));
    await clock.advance(60_000);
    const successor = invoke(() => pass(clock, 60_000), '2026-01-01T00:01:00Z', unobserved);
    await clock.advance(60_000);
    await Promise.all([running, successor]);

    expect(lines()).toEqual([
      ATTEMPT,
      expected('2026-01-01T00:00:59.400Z', [['LockLost', 'Count']], {
        LockLost: 1,
        FencingToken: 1_767_225_600_001,
        ...TICK,
      }),
      expected(
        '2026-01-01T00:01:30Z',
        [
          ['Executed', 'Count'],
          ['Duration', 'Milliseconds'],
        ],
        { Executed: 1, Duration: 90_000, ...TICK },
      ),
    ]);
  });

  test.each([
    ['ahead', { minMs: -31_000, maxMs: -29_500 }, 29_500],
    ['behind', { minMs: 29_500, maxMs: 31_000 }, 29_500],
  ])('row 47: of a host whose clock is %s, the least that it is off', async (_, bounds, ClockSkew) => {
    const store = scriptedStore({ acquire: async (claim, call) => ({ ...grantOf(claim, call), clock: bounds }) });
    await setting({ store }).invoke(() => {});

    expect(lines()[1]).toEqual(
      expected('2026-01-01T00:00:00Z', [['ClockSkew', 'Milliseconds']], { ClockSkew, ...TICK }),
    );
  });

  test('row 47: of a store that fails: the attempt, and no line for the failure', async () => {
    const store = scriptedStore({ acquire: () => Promise.reject(storeError) });
    await expect(setting({ store }).invoke(() => {})).rejects.toBe(storeError);

    expect(lines()).toEqual([ATTEMPT]);
  });

  test('row 47: without a tick or an attempt, as an event may be, the line has no such property', () => {
    emfObserver()(event({ type: 'skipped', reason: 'paused' }));

    expect(Object.keys(lines()[0])).toEqual(['_aws', 'LockName', 'Skipped', 'Reason']);
  });

  test.each<EventBody>([
    { type: 'acquired', fencingToken: 5 },
    { type: 'acquire-failed', error: storeError },
    { type: 'started', fencingToken: 5 },
    { type: 'release-failed', error: storeError },
    {
      type: 'recovered',
      previous: { status: 'crashed', lockedBy: 'digest 7', lockedAt: new Date(NOW), fencingToken: 4 },
    },
    { type: 'clock-unverified' },
    { type: 'tick-unreadable', value: "'soon'" },
  ])('row 47: $type has no metric and writes nothing', (body) => {
    emfObserver()(event(body));

    expect(written).not.toHaveBeenCalled();
  });
});

test('row 47: the names and units that alarms are built on', () => {
  expect(EMF_METRICS).toEqual({
    Attempts: 'Count',
    Executed: 'Count',
    Failed: 'Count',
    Skipped: 'Count',
    Missed: 'Count',
    LockLost: 'Count',
    Duration: 'Milliseconds',
    HoldTime: 'Milliseconds',
    ClockSkew: 'Milliseconds',
  });
});

test.each([
  ['tenant-sync/acme: a~b %', 'tenant-sync/acme: a~b %'],
  ['prüfung', 'pr%C3%BCfung'],
  ['夜🌙', '%E5%A4%9C%F0%9F%8C%99'],
  ['  ', '%20%20'],
  ['\u00A0', '%C2%A0'],
])('row 47: the lock name %j is the dimension %j', async (name, LockName) => {
  await setting({ name }).invoke(() => {});

  expect(lines()).toMatchObject([{ LockName }, { LockName }, { LockName }]);
});

describe('row 47: the namespace', () => {
  const namespaceOf = (options?: EmfOptions) => {
    emfObserver(options)(event({ type: 'attempted' }));
    return lines()[0]._aws.CloudWatchMetrics[0].Namespace;
  };

  test('row 47: is SingleExecution, when none is given', () => {
    expect(namespaceOf()).toBe('SingleExecution');
  });

  test('row 47: is what the environment says, when the observer is made', () => {
    vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', 'Jobs/Nightly');

    expect(namespaceOf({})).toBe('Jobs/Nightly');
  });

  test('row 47: is the default, when the variable is empty', () => {
    vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', '');

    expect(namespaceOf()).toBe('SingleExecution');
  });

  test.each(['Team A: jobs_1.b-c/#', 'A', 'a'.repeat(255), 'AWSome'])(
    "row 47: is the option's %j, whatever the environment says",
    (namespace) => {
      vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', ':broken');

      expect(namespaceOf({ namespace })).toBe(namespace);
    },
  );

  test.each(['', ' ', ':a', 'a*b', 'ä', 'a\n', 'a'.repeat(256), 'AWS/Lambda'])('row 47: is never %j', (namespace) => {
    expect(() => emfObserver({ namespace })).toThrow(RangeError);
    expect(() => emfObserver({ namespace })).toThrow(/^namespace is '.*: give/s);
  });

  test('row 47: of the environment is refused by the name of its variable', () => {
    vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', ':a');

    expect(() => emfObserver()).toThrow(
      new RangeError(
        "SINGLE_EXECUTION_NAMESPACE is ':a': give 1 to 255 of 0-9 A-Z a-z . - _ / # : and space, not all blank, with no colon and no AWS/ first",
      ),
    );
  });
});

test.each<[string, unknown, string]>([
  ['null', null, 'options is null: give an object with namespace, or nothing'],
  ['text', 'Jobs', "options is 'Jobs': give an object with namespace, or nothing"],
  ['an unknown option', { nameSpace: 'Jobs' }, "unknown option 'nameSpace': the option is namespace"],
  ['a number', { namespace: 7 }, "namespace is 7: give a CloudWatch namespace, such as 'SingleExecution'"],
])('row 47: %s is refused when the observer is made', (_, options, message) => {
  expect(() => emfObserver(options as EmfOptions)).toThrow(new TypeError(message));
});

test.each<[string, unknown]>([
  ['no process', undefined],
  ['no stdout', {}],
  ['a stdout that nobody can write to', { stdout: {} }],
])('row 47: where there is %s, the observer says that it works on Lambda', (_, process) => {
  vi.stubGlobal('process', process);
  const make = () => emfObserver({ namespace: 'Jobs' });

  expect(make).toThrow(
    new TypeError(
      'process.stdout.write is undefined: EMF works where stdout is collected, as on Lambda; elsewhere pass an observer of your own',
    ),
  );
});

describe('F49 a stdout that throws is never in the way', () => {
  beforeEach(() => {
    written.mockImplementation(() => {
      throw new Error('stdout is closed');
    });
  });

  test("F49 of the handler's value", async () => {
    expect(await setting().invoke(() => 'sent')).toBe('sent');
    expect(written).toHaveBeenCalledTimes(3);
  });

  test("F49 of the handler's error", async () => {
    const error = new Error('no database');

    await expect(setting().invoke(() => Promise.reject(error))).rejects.toBe(error);
  });
});

test('row 47: the lines reach stdout as they are where the console wraps what it is given, as on Lambda', () => {
  const door = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const script = `
    import { executeWithLock } from ${door('index.ts')};
    import { memoryStore } from ${door('stores/memory.ts')};
    import { emfObserver } from ${door('observe/observe.ts')};
    for (const method of ['log', 'info', 'warn', 'error']) {
      console[method] = (message) => process.stdout.write(JSON.stringify({ level: 'INFO', message }) + '\\n');
    }
    const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m', observers: [emfObserver()] };
    await executeWithLock(() => console.log('sent'), options);
  `;
  const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    encoding: 'utf8',
  });
  const written = output.match(/.*\n/g) ?? [];

  expect(written.map((line) => Object.keys(JSON.parse(line))[2] ?? line)).toEqual([
    'Attempts',
    '{"level":"INFO","message":"sent"}\n',
    'HoldTime',
    'Executed',
  ]);
  expect(written.filter((line) => line.includes('_aws')).flatMap(emfProblems)).toEqual([]);
});
