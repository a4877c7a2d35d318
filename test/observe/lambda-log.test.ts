import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BundledProgram, bundledProgram } from '../support/bundled-program.js';
import { emfProblems } from '../support/emf-check.js';
import { printedOnLambda } from './runtime-client.js';

/*
 * What CloudWatch gets from a function with the default observer: printed through the console that AWS's own runtime
 * client patches.
 */

const FETCH_MS = 300_000;
let program: BundledProgram;
beforeAll(async () => {
  program = await bundledProgram(new URL('./lambda-program.ts', import.meta.url));
}, FETCH_MS);
afterAll(() => program.remove());

const ONE = '2026-11-21T01:00:00Z';
const TWO = '2026-11-21T02:00:00Z';
const rule = (lock: string, time: string) => ({ source: 'aws.events', 'detail-type': 'Scheduled Event', time, lock });
/** The third invocation is one of an older tick. */
const EVENTS = [rule('held', TWO), rule('free', TWO), rule('free', ONE), rule('unreachable', TWO)];

/** What the default observer says of those, beside its level. */
const SAID = [
  {
    source: 'single-execution',
    message: expect.stringMatching(/^lock "held": skipped, locked by .+ until 2\d{3}-.+Z$/),
    name: 'held',
    attemptId: expect.any(String),
    tick: '2026-11-21T02:00:00.000Z',
    at: expect.any(String),
    type: 'skipped',
    reason: 'locked',
    holder: {
      lockedBy: expect.any(String),
      lockedAt: expect.any(String),
      lockUntil: expect.any(String),
      fencingToken: expect.any(Number),
    },
  },
  {
    source: 'single-execution',
    message: 'lock "free": skipped, a newer tick is done',
    name: 'free',
    attemptId: expect.any(String),
    tick: '2026-11-21T01:00:00.000Z',
    at: expect.any(String),
    type: 'skipped',
    reason: 'stale-tick',
    holder: expect.any(Object),
  },
  {
    source: 'single-execution',
    message: 'lock "unreachable": could not be acquired',
    name: 'unreachable',
    attemptId: expect.any(String),
    tick: '2026-11-21T02:00:00.000Z',
    at: expect.any(String),
    type: 'acquire-failed',
    error: 'LockStoreError: acquire of lock "unreachable" failed: TimeoutError; see the cause',
    next: 'throw',
  },
];
const LEVELS = ['INFO', 'WARN', 'ERROR'];

/** Ours, without what the runtime itself says of the handler's error. */
const ours = (lines: readonly string[]) => lines.filter((line) => line.includes('"source":"single-execution"'));
const metrics = (lines: readonly string[]) => lines.filter((line) => line.startsWith('{"_aws"'));
const counted = (lines: readonly string[]) => lines.filter((line) => /^\{("_aws"|"LockName")/.test(line));

describe('row 83: the lines that the default observer prints on Lambda', () => {
  test(
    'a skip, a warning and a failure each at its level, as one line of JSON in the text format',
    async () => {
      const { stdout, stderr } = await printedOnLambda(program.path, EVENTS, { AWS_LAMBDA_LOG_FORMAT: 'Text' });

      const columns = ours(stdout).map((line) => line.split('\t'));
      expect(columns.map(([, requestId, level]) => [requestId, level])).toEqual([
        ['request-1', 'INFO'],
        ['request-3', 'WARN'],
        ['request-4', 'ERROR'],
      ]);
      expect(columns.map(([, , , json = '']) => JSON.parse(json))).toEqual(
        SAID.map((said, i) => ({ level: LEVELS[i], ...said })),
      );
      expect(metrics(stdout)).toEqual([]);
      expect(stderr).toEqual([]);
    },
    FETCH_MS,
  );

  test('the same as fields in the JSON format, with nothing escaped twice', async () => {
    const { stdout } = await printedOnLambda(program.path, EVENTS, { AWS_LAMBDA_LOG_FORMAT: 'JSON' });

    expect(ours(stdout).map((line) => JSON.parse(line))).toEqual(
      SAID.map((message, i) => ({
        timestamp: expect.any(String),
        level: LEVELS[i],
        requestId: `request-${[1, 3, 4][i]}`,
        message,
      })),
    );
  });

  test.each(['Text', 'JSON'])('metrics as lines of their own in the format %s, whatever the level', async (format) => {
    const { stdout } = await printedOnLambda(program.path, EVENTS, {
      AWS_LAMBDA_LOG_FORMAT: format,
      AWS_LAMBDA_LOG_LEVEL: 'WARN',
      SINGLE_EXECUTION_NAMESPACE: 'SingleExecution/Jobs',
    });

    expect(ours(stdout).map((line) => /\b(INFO|WARN|ERROR)\b/.exec(line)?.[0])).toEqual(['WARN', 'ERROR']);
    expect(metrics(stdout).flatMap((line) => emfProblems(`${line}\n`))).toEqual([]);
    expect(counted(stdout).map((line) => Object.keys(JSON.parse(line)).slice(0, 3))).toEqual([
      ['LockName', 'Skipped', 'Tick'],
      ['_aws', 'LockName', 'HoldTime'],
      ['_aws', 'LockName', 'Executed'],
      ['_aws', 'LockName', 'Skipped'],
    ]);
    // Lambda drops a line of its JSON format that says no level, or no time, where the function logs from WARN on.
    const kept = metrics(stdout).map((line) => JSON.parse(line));
    const keeps = format === 'JSON' ? { level: 'WARN', timestamp: expect.stringMatching(/^\d{4}-.+Z$/) } : {};
    for (const { level, timestamp } of kept) expect({ level, timestamp }).toEqual({ level: undefined, ...keeps });
  });
});
