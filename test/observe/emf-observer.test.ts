import { execFileSync } from 'node:child_process';
import {
  executeWithLock,
  type LockEvent,
  LockStoreError,
  type Options,
  type SkipReason,
  withSingleExecution,
} from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { lambdaContext, manualClock, scheduledEvent } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { EMF_DEFAULTS, EMF_METRICS } from '../../src/core/observers/emf-metrics.js';
import type { EventBody } from '../../src/core/public/events.js';
import { type EmfOptions, emfObserver } from '../../src/observe/observe.js';
import { pass } from '../support/clocks.js';
import { emfProblems } from '../support/emf-check.js';
import { memoryLocks } from '../support/memory-locks.js';
import { grantOf, scriptedStore } from '../support/scripted-store.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

let written: MockInstance<typeof process.stdout.write>;
beforeEach(() => {
  vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', undefined);
  vi.stubEnv('SINGLE_EXECUTION_LOCK_SETS', undefined);
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', undefined);
  written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * What was written, line by line; CloudWatch must take each that declares metrics. Attempt ids, which are random,
 * become a1.
 */
function texts(): string[] {
  const lines = written.mock.calls.map(([text]) => String(text));
  expect(lines.filter((line) => line.includes('_aws')).flatMap(emfProblems)).toEqual([]);
  return lines.map((line) => line.replace(/"AttemptId":"a[\w-]{22}(?:~\w+)?"/, '"AttemptId":"a1"'));
}

const lines = () => texts().map((text) => JSON.parse(text));

type Named = readonly [name: string, unit: string];

/** What a line declares: numbers that are metrics, with the dimensions. */
function declared(at: string, metrics: readonly Named[], dimensions = [['LockName']]): object {
  const Metrics = metrics.map(([Name, Unit]) => ({ Name, Unit }));
  const CloudWatchMetrics = [{ Namespace: 'SingleExecution', Dimensions: dimensions, Metrics }];
  return { Timestamp: Date.parse(at), CloudWatchMetrics };
}

function expected(at: string, metrics: readonly Named[], members: object): object {
  return { _aws: declared(at, metrics), LockName: 'digest', AttemptId: 'a1', ...members };
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

const event = (body: EventBody, name = 'digest'): LockEvent => ({ name, at: new Date(NOW), ...body });
const storeError = new LockStoreError('acquire of lock "digest" failed: Error; see the cause', {
  code: 'UNAVAILABLE',
  lockName: 'digest',
  operation: 'acquire',
  retryable: true,
});

describe('row 47: emfObserver() writes the metrics', () => {
  test('row 195: of a run by hand no Executed, which would clear the alarm of a job that does not run', async () => {
    const { options } = memoryLocks();
    const observers = [emfObserver({ metrics: ['Attempts', 'Duration'] })];
    await executeWithLock(() => 'sent', { ...options, observers, isManual: true });
    const all: Record<string, unknown>[] = lines();

    expect(all.filter((line) => 'Executed' in line)).toEqual([]);
    expect(all.map(({ IsManual, Tick }) => [IsManual, Tick])).toEqual(all.map(() => [true, undefined]));
    expect(all.find((line) => 'Duration' in line)).toMatchObject({ LockName: 'digest' });
  });

  test('row 47: of a run that succeeds, in lines that are exactly these', async () => {
    const { clock, invoke } = setting();
    const running = invoke(() => pass(clock, 1_500));
    await clock.advance(2_000);
    await running;

    expect(texts()).toEqual([
      '{"_aws":{"Timestamp":1767225601500,"CloudWatchMetrics":[{"Namespace":"SingleExecution","Dimensions":[["LockName"]],"Metrics":[{"Name":"HoldTime","Unit":"Milliseconds"}]}]},"LockName":"digest","HoldTime":1500,"Tick":"2026-01-01T00:00:00.000Z","AttemptId":"a1","FencingToken":1767225600001}\n',
      '{"_aws":{"Timestamp":1767225601500,"CloudWatchMetrics":[{"Namespace":"SingleExecution","Dimensions":[["LockName"]],"Metrics":[{"Name":"Executed","Unit":"Count"}]}]},"LockName":"digest","Executed":1,"Duration":1500,"Tick":"2026-01-01T00:00:00.000Z","AttemptId":"a1"}\n',
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
      expected('2026-01-01T00:00:00.250Z', [['HoldTime', 'Milliseconds']], {
        HoldTime: 250,
        FencingToken: 1_767_225_600_001,
        ...TICK,
      }),
      expected('2026-01-01T00:00:00.250Z', [['Failed', 'Count']], {
        Failed: 1,
        Duration: 250,
        Error: 'TypeError',
        ...TICK,
      }),
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

    const skip = { Skipped: 1, Holder: 'send-digest $LATEST eu-west-1 r1', ...TICK };
    expect(lines()).toEqual([
      // Counted from the log: no metric, so CloudWatch is told of none.
      { LockName: 'digest', AttemptId: 'a1', ...skip, Reason: 'locked' },
      expected('2026-01-01T00:00:10Z', [['Executed', 'Count']], { ...skip, Executed: 0, Reason: 'already-executed' }),
    ]);
  });

  const executedAt: Record<SkipReason, 0 | undefined> = {
    'already-executed': 0,
    'stale-tick': 0,
    locked: undefined,
    'lock-at-least-for': undefined,
    paused: undefined,
    'store-unavailable': undefined,
    'off-schedule': 0,
  };
  test.each(Object.entries(executedAt) as [SkipReason, 0 | undefined][])(
    'row 47: a skip as %s says by Executed whether its tick needs a run: %s',
    (reason, Executed) => {
      emfObserver()(event({ type: 'skipped', reason }));

      expect(lines()[0].Executed).toBe(Executed);
      expect('_aws' in lines()[0]).toBe(Executed === 0);
    },
  );

  test('row 47: of a run that finds four ticks missed', async () => {
    const { clock, invoke } = setting({ schedule: '5m' });
    await invoke(() => {}, undefined, unobserved);
    await clock.advance(1_500_000);
    await invoke(() => {}, '2026-01-01T00:25:00Z');

    expect(lines()[0]).toEqual(
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
      expected('2026-01-01T00:00:59.400Z', [['LockLost', 'Count']], {
        LockLost: 1,
        FencingToken: 1_767_225_600_001,
        ...TICK,
      }),
      expected('2026-01-01T00:01:30Z', [['Executed', 'Count']], { Executed: 1, Duration: 90_000, ...TICK }),
    ]);
  });

  test.each([
    ['ahead', { minMs: -31_000, maxMs: -29_500 }, 29_500],
    ['behind', { minMs: 29_500, maxMs: 31_000 }, 29_500],
  ])('row 47: of a host whose clock is %s, with the smallest possible error', async (_, bounds, ClockSkew) => {
    const store = scriptedStore({ acquire: async (claim, call) => ({ ...grantOf(claim, call), clock: bounds }) });
    await setting({ store }).invoke(() => {});

    expect(lines()[0]).toEqual(
      expected('2026-01-01T00:00:00Z', [['ClockSkew', 'Milliseconds']], { ClockSkew, ...TICK }),
    );
  });

  test('row 47: but none if the store fails: the failure is in the log', async () => {
    const store = scriptedStore({ acquire: () => Promise.reject(storeError) });
    await expect(setting({ store }).invoke(() => {})).rejects.toBe(storeError);

    expect(written).not.toHaveBeenCalled();
  });

  test('row 47: without a tick or an attempt, as an event may be, the line has no such property', () => {
    emfObserver()(event({ type: 'skipped', reason: 'paused' }));

    expect(Object.keys(lines()[0])).toEqual(['LockName', 'Skipped', 'Reason']);
  });

  test.each<EventBody>([
    { type: 'attempted' },
    { type: 'acquired', fencingToken: 5 },
    { type: 'acquire-failed', error: storeError, next: 'throw' },
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
  expect(EMF_DEFAULTS).toEqual(['Executed', 'Failed', 'Missed', 'LockLost', 'HoldTime', 'ClockSkew']);
});

describe('row 47: what is a metric', () => {
  const namesOf = (options: EmfOptions, body: EventBody) => {
    emfObserver(options)(event(body));
    return lines()[0]?._aws.CloudWatchMetrics[0].Metrics.map(({ Name }: { Name: string }) => Name);
  };
  const others = ['Attempts', 'Skipped', 'Duration'] as const;

  test.each<[EventBody, string[]]>([
    [{ type: 'attempted' }, ['Attempts']],
    [{ type: 'finished', durationMs: 5, release: 'released' }, ['Executed', 'Duration']],
    [{ type: 'skipped', reason: 'paused' }, ['Skipped']],
    [{ type: 'skipped', reason: 'already-executed' }, ['Skipped', 'Executed']],
  ])('row 47: of $type, with the others asked for, is %j', (body, names) => {
    expect(namesOf({ metrics: others }, body)).toEqual(names);
  });

  test('row 47: is Executed alone of a run that succeeds, whose duration is a field of the line', () => {
    expect(namesOf({}, { type: 'finished', durationMs: 5, release: 'released' })).toEqual(['Executed']);
    expect(lines()[0]).toMatchObject({ Executed: 1, Duration: 5 });
  });

  test.each<[unknown, string]>([
    [['Attempts', 'Skips'], "metrics has 'Skips': pass a list of Attempts, Skipped, Duration"],
    ['Attempts', "metrics is 'Attempts': pass a list of Attempts, Skipped, Duration"],
  ])('row 47: is refused when it is %j', (metrics, message) => {
    expect(() => emfObserver({ metrics } as EmfOptions)).toThrow(new TypeError(message));
  });
});

describe('row 47: a lock that is lost and a clock that is off', () => {
  test.each<[EventBody, string, string]>([
    [{ type: 'lost', fencingToken: 5 }, 'LockLost', 'Count'],
    [{ type: 'clock-skew', minMs: 2_000, maxMs: 3_000 }, 'ClockSkew', 'Milliseconds'],
  ])('row 47: are metrics of the function as well, so that one alarm covers all its locks: %j', (body, name, unit) => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'jobs-Digest-1');
    emfObserver()(event(body));

    expect(lines()[0]).toMatchObject({
      _aws: declared('2026-01-01T00:00:00Z', [[name, unit]], [['LockName'], ['FunctionName']]),
      LockName: 'digest',
      FunctionName: 'jobs-Digest-1',
    });
  });

  test('row 47: a run is no metric of the function, which has its own', () => {
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'jobs-Digest-1');
    emfObserver()(event({ type: 'finished', durationMs: 5, release: 'released' }));

    expect(texts().join()).not.toContain('FunctionName');
  });
});

describe('row 47: locks of one set', () => {
  const lineOf = (name: string, options?: EmfOptions) => {
    emfObserver(options)(event({ type: 'finished', durationMs: 5, release: 'released' }, name));
    return lines()[0];
  };

  test.each([
    ['option', { lockSets: ['tenant/*'] }, undefined],
    ['environment', {}, '["tenant/*"]'],
    ['option rather than the environment', { lockSets: ['tenant/*'] }, '["t*"]'],
  ])('row 47: share their metrics by the %s; their own name is a field', (_, options, variable) => {
    vi.stubEnv('SINGLE_EXECUTION_LOCK_SETS', variable);

    expect(lineOf('tenant/acme', options)).toMatchObject({ LockName: 'tenant/*', Lock: 'tenant/acme' });
  });

  test('row 47: belong to the longest prefix, and a lock of no set has its own metrics', () => {
    expect(lineOf('tenant/eu/acme', { lockSets: ['t*', 'tenant/eu/*', 'tenant/*'] }).LockName).toBe('tenant/eu/*');
    written.mockClear();
    expect(Object.keys(lineOf('digest', { lockSets: ['tenant/*'] }))).not.toContain('Lock');
    expect(lines()[0].LockName).toBe('digest');
  });

  test.each([[['tenant']], [['*']], [[7]], ['tenant/*']])('row 47: are refused when they are %j', (lockSets) => {
    expect(() => emfObserver({ lockSets } as EmfOptions)).toThrow(
      /^lockSets is .*: pass a list of prefixes that end in '\*', such as \["tenant-sync\/\*"\]$/,
    );
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

  expect(lines()).toMatchObject([{ LockName }, { LockName }]);
});

describe('row 47: the namespace', () => {
  const namespaceOf = (options?: EmfOptions) => {
    emfObserver(options)(event({ type: 'lost', fencingToken: 5 }));
    return lines()[0]._aws.CloudWatchMetrics[0].Namespace;
  };

  test.each([
    ['SingleExecution by default', undefined, 'SingleExecution'],
    ['SingleExecution if the variable is empty', '', 'SingleExecution'],
    ['what the environment says, when the observer is made', 'Jobs/Nightly', 'Jobs/Nightly'],
  ])('row 47: is %s', (_, variable, namespace) => {
    vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', variable);

    expect(namespaceOf()).toBe(namespace);
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
    expect(() => emfObserver({ namespace })).toThrow(/^namespace is '.*: pass/s);
  });
});

test.each([
  ['NAMESPACE', ':a', /^SINGLE_EXECUTION_NAMESPACE is ':a': pass 1 to 255 of .*, with no colon and no AWS\/ first$/],
  ['LOCK_SETS', 'tenant/*', /^SINGLE_EXECUTION_LOCK_SETS is 'tenant\/\*': pass a list/],
])('row 47: SINGLE_EXECUTION_%s=%s is refused by the name of the variable', (name, value, message) => {
  vi.stubEnv(`SINGLE_EXECUTION_${name}`, value);

  expect(() => emfObserver()).toThrow(message);
});

test.each<[string, unknown, string]>([
  ['null', null, 'options is null: pass an object with namespace, metrics, or nothing'],
  ['text', 'Jobs', "options is 'Jobs': pass an object with namespace, metrics, or nothing"],
  ['an unknown one', { nameSpace: 'Jobs' }, "unknown option 'nameSpace': the options are namespace, metrics, lockSets"],
  ['a number', { namespace: 7 }, "namespace is 7: pass a CloudWatch namespace, such as 'SingleExecution'"],
])('row 47: %s is refused when the observer is made', (_, options, message) => {
  expect(() => emfObserver(options as EmfOptions)).toThrow(new TypeError(message));
});

test.each<[string, unknown]>([
  ['no process', undefined],
  ['no stdout', {}],
  ['a stdout that nobody can write to', { stdout: {} }],
])('row 47: if there is %s, the error of the observer says that it works on Lambda', (_, process) => {
  vi.stubGlobal('process', process);
  const make = () => emfObserver({ namespace: 'Jobs' });

  expect(make).toThrow(
    new TypeError(
      'process.stdout.write is undefined: EMF needs a stdout that is collected, as on Lambda; elsewhere pass an observer of your own',
    ),
  );
});

test('row 47: the lines reach stdout unchanged, even if the console wraps its arguments as on Lambda', () => {
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
    '{"level":"INFO","message":"sent"}\n',
    'HoldTime',
    'Executed',
  ]);
  expect(written.filter((line) => line.includes('_aws')).flatMap(emfProblems)).toEqual([]);
});
