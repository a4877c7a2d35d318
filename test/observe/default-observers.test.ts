import { type ExecuteOptions, executeWithLock, withSingleExecution } from 'single-execution';
import { withSingleExecution as onHttp } from 'single-execution/http';
import { createLeaderElection, withLeadership } from 'single-execution/leader';
import { memoryStore } from 'single-execution/memory';
import { withSingleExecution as inProcess } from 'single-execution/process';
import { lambdaContext, manualClock } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest';
import { emfObserver, jsonLogObserver } from '../../src/observe/observe.js';
import { pass } from '../support/clocks.js';

let written: MockInstance<typeof process.stdout.write>;
let logged: string[];
beforeEach(() => {
  logged = [];
  written = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line) => void logged.push(line));
  }
  vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', 'Jobs');
  vi.stubEnv('SINGLE_EXECUTION_LOCK_SETS', undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const metrics = () =>
  written.mock.calls.map(([text]) => {
    const { _aws, LockName, ...numbers } = JSON.parse(String(text));
    return Object.keys(numbers)[0];
  });
const messages = () => logged.map((line) => JSON.parse(line).message);

/** A run that loses its lock. */
async function losing(own: Pick<ExecuteOptions, 'observers'>): Promise<void> {
  const clock = manualClock();
  const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m', clock, ...own };
  const running = executeWithLock(() => pass(clock, 70_000), options);
  await clock.advance(70_000);
  await running;
}

const LOST = ['lock "digest": lost before its run ended'];
const METRICS = ['LockLost', 'HoldTime', 'Executed'];

test.each<[string, Pick<ExecuteOptions, 'observers'>, lines: string[], metrics: string[]]>([
  ['by default', {}, LOST, METRICS],
  ['by jsonLogObserver() and emfObserver()', { observers: [jsonLogObserver(), emfObserver()] }, LOST, METRICS],
  ['by jsonLogObserver() alone', { observers: [jsonLogObserver()] }, LOST, []],
  ['by emfObserver() alone', { observers: [emfObserver()] }, [], METRICS],
  ['by nobody', { observers: [] }, [], []],
])('row 47: if the environment names a namespace, %s each line is written once', async (_, own, lines, names) => {
  await losing(own);

  expect(messages()).toEqual(lines);
  expect(metrics()).toEqual(names);
});

test.each([undefined, ''])('row 47: with SINGLE_EXECUTION_NAMESPACE=%o no metrics are written', async (namespace) => {
  vi.stubEnv('SINGLE_EXECUTION_NAMESPACE', namespace);
  await losing({});

  expect(messages()).toEqual(LOST);
  expect(metrics()).toEqual([]);
});

test.each([
  [
    'NAMESPACE',
    ':a',
    'pass 1 to 255 of 0-9 A-Z a-z . - _ / # : and space, not all blank, with no colon and no AWS/ first',
  ],
  ['LOCK_SETS', 'tenant/*', `pass a list of prefixes that end in '*', such as ["tenant-sync/*"]`],
])('row 47: SINGLE_EXECUTION_%s=%s is reported once, and costs no run', async (name, value, remedy) => {
  vi.stubEnv(`SINGLE_EXECUTION_${name}`, value);
  await losing({});
  await losing({});

  expect(messages()).toEqual([
    `SINGLE_EXECUTION_${name} is '${value}', no metrics are written: ${remedy}`,
    ...LOST,
    ...LOST,
  ]);
  expect(metrics()).toEqual([]);
});

test('row 47: the locks of a set that the environment names share their metrics', async () => {
  vi.stubEnv('SINGLE_EXECUTION_LOCK_SETS', '["dig*"]');
  await losing({});

  expect(written.mock.calls.map(([text]) => JSON.parse(String(text)))).toMatchObject(
    METRICS.map(() => ({ LockName: 'dig*', Lock: 'digest' })),
  );
});

test('row 47: without stdout only the log lines are written', async () => {
  vi.stubGlobal('process', { env: { SINGLE_EXECUTION_NAMESPACE: 'Jobs' } });
  await losing({});

  expect(messages()).toEqual(LOST);
});

describe('row 83: a skip is written by default', () => {
  const held = { acquire: async () => ({ status: 'refused', reason: 'paused' }) as const };
  const store = { ...memoryStore(), ...held };
  const options = { name: 'digest', store, lockAtMostFor: '1m' };
  const wrapping = { ...options, tick: 'none' } as const;
  const SKIP = 'lock "digest": skipped, an operator paused it';

  test.each<[string, () => unknown, metrics: string[]]>([
    ['on Lambda', () => withSingleExecution(async () => {}, wrapping)({}, lambdaContext()), ['Skipped']],
    ['in a process', () => inProcess(async () => {}, wrapping)(), ['Skipped']],
    ['of a function', () => executeWithLock(async () => {}, options), ['Skipped']],
    [
      'of a candidate',
      () => withLeadership(async () => {}, { name: 'digest', store, candidate: 'eu', lease: '1m' })(),
      ['Skipped'],
    ],
    [
      'of a route, whose platform collects no metrics from stdout',
      () => onHttp(async () => new Response(), { ...wrapping, secret: false })(new Request('https://a.example'), {}),
      [],
    ],
  ])('row 47: %s', async (_, call, names) => {
    await call();

    expect(messages()).toEqual([SKIP]);
    expect(metrics()).toEqual(names);
  });

  test('row 41: but not while a candidate of an election asks in vain, which it does every few seconds', async () => {
    const clock = manualClock();
    const election = createLeaderElection({ name: 'digest', store, clock });
    election.start();
    await clock.advance(60_000);
    const stopped = election.stop();
    await clock.advance(60_000);
    await stopped;

    expect(messages()).toEqual([]);
    expect(metrics()).toEqual([]);
  });
});
