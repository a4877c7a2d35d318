import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runRetries } from '../../infra/constructs/retry-settings.js';
import { retriesOf, retriesThatFit } from '../../src/cli/doctor/times-that-fit.js';
import { innerCli } from '../support/inner-cli.js';
import { listening } from '../support/loopback.js';
import { cliStage } from './stage.js';

/*
 * A stand-in for Lambda's API. Its answers decide what doctor reads of a function.
 */

const stage = cliStage();

type Answers = { readonly configuration?: object; readonly retries?: object; readonly error?: string };

let server: Server;
let url: string;
let answers: Answers;
beforeAll(async () => {
  server = createServer(({ url: path = '', method }, response) => {
    const told = path.endsWith('/configuration') ? answers.configuration : answers.retries;
    const error = answers.error ?? (told === undefined || method !== 'GET' ? 'ResourceNotFoundException' : undefined);
    response.setHeader('content-type', 'application/json');
    if (error) response.writeHead(error === 'ResourceNotFoundException' ? 404 : 403, { 'x-amzn-errortype': error });
    response.end(JSON.stringify(told ?? {}));
  });
  url = `http://127.0.0.1:${await listening(server)}`;
});
afterAll(() => server.close());

const deployed = (variables: Record<string, string> = {}, more: object = {}): object => ({
  FunctionName: 'send-digest',
  Runtime: 'nodejs24.x',
  State: 'Active',
  Timeout: 300,
  Environment: {
    Variables: { LOCK_TABLE: 'locks', SINGLE_EXECUTION_SCHEDULE: 'cron(0/15 * * * ? *)', ...variables },
  },
  ...more,
});
const RETRIES = {
  MaximumRetryAttempts: 1,
  MaximumEventAgeInSeconds: 900,
  DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:eu-west-1:1:send-digest-dlq' } },
};

/** What doctor finds, by check. */
async function found(of: Answers, ...args: readonly string[]) {
  answers = of;
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', url);
  const all = ['doctor', '--function', 'send-digest', '--json', ...args];
  const { code, stdout } = await innerCli(all);
  const findings = JSON.parse(stdout) as { check: string; status: string; found: string; remedy?: string }[];
  return { code, ...Object.fromEntries(findings.map(({ check, ...finding }) => [check, finding])) };
}

test('a function as the construct makes it is in order', async () => {
  expect(await found({ configuration: deployed(), retries: RETRIES })).toEqual({
    code: 0,
    function: { status: 'ok', found: 'send-digest is Active, nodejs24.x' },
    'lock table': { status: 'ok', found: 'locks' },
    schedule: { status: 'ok', found: 'cron(0/15 * * * ? *): at least 15m from one tick to the next' },
    timeout: { status: 'ok', found: '5m' },
    lease: { status: 'ok', found: 'covers the timeout, unless the code says otherwise' },
    retries: { status: 'ok', found: '1, within 15m' },
    'given up': { status: 'ok', found: 'ticks that are given up go to send-digest-dlq' },
  });
});

const lease = (most: string, variable = 'LOCK_AT_MOST_FOR') => deployed({ [variable]: most });
const scheduled = (text: string) => deployed({ SINGLE_EXECUTION_SCHEDULE: text });
const NO_RETRY = { ...RETRIES, MaximumRetryAttempts: 0 };

test.each<[string, object, string, string, object?]>([
  ['a timeout longer than the time between two ticks', deployed({}, { Timeout: 901 }), 'timeout', 'warning'],
  ['a timeout as long as the time between two ticks', deployed({}, { Timeout: 900 }), 'timeout', 'warning'],
  ['a lease as long as the timeout', lease('PT5M'), 'lease', 'warning'],
  ['a lease shorter than the timeout', lease('PT1M'), 'lease', 'warning'],
  ['a lease a little longer than the timeout', lease('PT5M6S'), 'lease', 'ok'],
  ['a lease that ends before the retry', lease('PT5M56S'), 'lease', 'ok'],
  ['a lease that a retry meets', lease('PT5M57S'), 'lease', 'warning'],
  ['a long lease, and no retry', lease('PT7M'), 'lease', 'ok', NO_RETRY],
  ['a lockAtLeastFor that a retry meets', lease('PT6M', 'LOCK_AT_LEAST_FOR'), 'lease', 'warning'],
  ['a lockAtLeastFor that skips ticks', lease('PT15M', 'LOCK_AT_LEAST_FOR'), 'lease', 'problem'],
  ['a lease that is no duration', lease('soon'), 'lease', 'problem'],
  ['a schedule that cannot be read', scheduled('at dawn'), 'schedule', 'problem'],
  ['a schedule that is over', scheduled('cron(0 9 1 1 ? 2025)'), 'schedule', 'warning'],
  ['an environment without a schedule', scheduled(''), 'schedule', 'unknown'],
  ['an old runtime', deployed({}, { Runtime: 'nodejs18.x' }), 'function', 'problem'],
  ['a function that failed', deployed({}, { State: 'Failed' }), 'function', 'problem'],
  ['no retries', deployed(), 'retries', 'warning', { MaximumRetryAttempts: 0 }],
  ['no place for what is given up', deployed(), 'given up', 'warning', { MaximumRetryAttempts: 0 }],
])('%s is told, with its remedy', async (_, configuration, check, status, retries = RETRIES) => {
  const remedy = status === 'ok' ? {} : { remedy: expect.any(String) };

  expect(await found({ configuration, retries })).toMatchObject({
    code: status === 'problem' ? 1 : 0,
    [check]: { status, ...remedy },
  });
});

test("without settings of its own Lambda's defaults apply, and its dead-letter queue counts", async () => {
  const configuration = deployed({}, { DeadLetterConfig: { TargetArn: 'arn:aws:sqs:eu-west-1:1:dead' } });

  expect(await found({ configuration })).toMatchObject({
    retries: { status: 'warning', found: expect.stringMatching(/^2, within 6h: the last may end 19m .* after 15m$/) },
    'given up': { status: 'ok', found: 'ticks that are given up go to dead' },
  });
});

test('another table than the one looked at is a problem, and the store is looked at too', async () => {
  const { args } = stage().on('dynamodb');
  const problem = { code: 1, table: { status: 'ok' }, 'lock table': { status: 'problem' } };

  expect(await found({ configuration: deployed(), retries: RETRIES }, ...args)).toMatchObject(problem);
});

test('a function that is not there, or may not be looked at, is reported', async () => {
  expect(await found({})).toMatchObject({ code: 1, function: { status: 'problem' } });
  expect(await found({ error: 'AccessDeniedException' })).toMatchObject({ code: 0, function: { status: 'unknown' } });
});

test('retries are judged as the constructs choose them', () => {
  for (const timeoutMs of [3_000, 60_000, 300_000, 900_000]) {
    for (const gapMs of [60_000, 180_000, 240_000, 300_000, 419_999, 420_000, 900_000, 3_600_000, 86_400_000]) {
      const fit = runRetries(gapMs, timeoutMs).attempts;

      expect(retriesThatFit(timeoutMs, gapMs)).toBe(fit);
      for (const attempts of [0, 1, 2]) {
        const { status } = retriesOf({ MaximumRetryAttempts: attempts }, timeoutMs, gapMs);
        const isFine = attempts === 0 ? fit === 0 : attempts <= fit;
        expect([timeoutMs, gapMs, attempts, status]).toEqual([timeoutMs, gapMs, attempts, isFine ? 'ok' : 'warning']);
      }
    }
  }
});
