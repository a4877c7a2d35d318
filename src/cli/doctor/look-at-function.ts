import type { FunctionConfiguration, FunctionEventInvokeConfig } from '@aws-sdk/client-lambda';
import { type Clock, parseDuration, type Schedule } from '../../index.js';
import { comingTicks, shortSpan } from '../../operate/times.js';
import { eventBridge } from '../../schedule/schedule.js';
import { type Finding, ok, problem, unknown, type Verdict, warning } from '../findings/finding.js';
import { answeredInTime, nameOfThrown, needing } from '../store/reach.js';
import { retriesOf, timeoutOf } from './times-that-fit.js';

/** A deployed function, and the table that it should use. */
interface FunctionAddress {
  readonly functionName: string;
  readonly tableName: string | undefined;
  readonly at: { readonly region?: string; readonly profile?: string };
}

/** Facts of a deployed function. */
interface Deployed {
  readonly configuration: FunctionConfiguration;
  /** Undefined if the function sets none: Lambda's defaults apply. */
  readonly retries: FunctionEventInvokeConfig | undefined;
}

/** Lambda's first retry comes 60 s after the timeout; on DynamoDB a run can take the lock over 3 s after the lease ends. */
const FIRST_RETRY_MS = 57_000;
const NOT_FOUND = 'ResourceNotFoundException';
/** How many ticks are read to find the shortest time between two ticks. */
const TICKS = 201;

/** Checks a deployed function: its schedule against its lease, its timeout and its retries. Changes nothing. */
export async function lookAtFunction(address: FunctionAddress, clock: Clock): Promise<readonly Finding[]> {
  const lambda = await needing(['@aws-sdk/client-lambda'], () => import('@aws-sdk/client-lambda'), '--function');
  let deployed: Deployed;
  try {
    deployed = await answeredInTime(describe(lambda, address), clock);
  } catch (error) {
    return [{ check: 'function', ...refused(nameOfThrown(error), address.functionName) }];
  }
  const { configuration, retries } = deployed;
  const variables = configuration.Environment?.Variables ?? {};
  const timeoutMs = (configuration.Timeout ?? 3) * 1_000;
  const schedule = scheduleOf(variables);
  const gapMs = typeof schedule === 'object' ? shortestGapMs(schedule, clock.now()) : undefined;
  return [
    { check: 'function', ...functionOf(configuration) },
    { check: 'lock table', ...tableOf(variables, address.tableName) },
    { check: 'schedule', ...scheduleVerdict(schedule, gapMs) },
    { check: 'timeout', ...timeoutOf(timeoutMs, gapMs) },
    { check: 'lease', ...leaseOf(variables, retries, timeoutMs, gapMs) },
    { check: 'retries', ...retriesOf(retries, timeoutMs, gapMs) },
    { check: 'given up', ...givenUpOf(configuration, retries) },
  ];
}

type Lambda = typeof import('@aws-sdk/client-lambda');

async function describe(lambda: Lambda, { functionName, at }: FunctionAddress): Promise<Deployed> {
  const { LambdaClient, GetFunctionConfigurationCommand, GetFunctionEventInvokeConfigCommand } = lambda;
  const client = new LambdaClient({ ...at, maxAttempts: 1 });
  const FunctionName = functionName;
  try {
    const [configuration, retries] = await Promise.all([
      client.send(new GetFunctionConfigurationCommand({ FunctionName })),
      client.send(new GetFunctionEventInvokeConfigCommand({ FunctionName })).catch((error: unknown) => {
        if (nameOfThrown(error) === NOT_FOUND) return undefined;
        throw error;
      }),
    ]);
    return { configuration, retries };
  } finally {
    client.destroy();
  }
}

function refused(name: string, functionName: string): Verdict {
  if (name === NOT_FOUND) {
    return problem(`${functionName} is not there, in this account and region`, 'correct --function or --region');
  }
  const remedy = 'allow lambda:GetFunctionConfiguration and lambda:GetFunctionEventInvokeConfig, or set credentials';
  return unknown(`may not look: ${name}`, remedy);
}

function functionOf({ FunctionName, Runtime, State = 'Active' }: FunctionConfiguration): Verdict {
  const found = `${FunctionName} is ${State}, ${Runtime ?? 'an image'}`;
  if (State !== 'Active' && State !== 'Inactive')
    return problem(found, 'wait until it is Active, or see why it failed');
  const [, major] = /^nodejs(\d+)/.exec(Runtime ?? '') ?? [];
  return major !== undefined && Number(major) < 20 ? problem(found, 'use nodejs22.x or nodejs24.x') : ok(found);
}

type Variables = Readonly<Record<string, string>>;

function tableOf({ LOCK_TABLE: table }: Variables, wanted: string | undefined): Verdict {
  if (!table) return unknown('LOCK_TABLE is not in its environment', 'see in its code which table it uses');
  if (wanted === undefined || table === wanted) return ok(table);
  return problem(`${table}, and this tool looks at ${wanted}`, 'set the same table for both');
}

/** Reads the schedule from the function's environment. Returns a text if it cannot be read; undefined if it is absent. */
function scheduleOf(variables: Variables): Schedule | string | undefined {
  const { SINGLE_EXECUTION_SCHEDULE: expression, SINGLE_EXECUTION_TIME_ZONE: timeZone } = variables;
  if (!expression) return undefined;
  try {
    return eventBridge(expression, timeZone ? { timeZone } : {});
  } catch {
    return expression;
  }
}

function scheduleVerdict(schedule: Schedule | string | undefined, gapMs: number | undefined): Verdict {
  if (schedule === undefined) {
    return unknown('not in its environment', 'set SINGLE_EXECUTION_SCHEDULE, as SingleExecutionFunction does');
  }
  if (typeof schedule === 'string') return problem(`${schedule} cannot be read`, 'correct SINGLE_EXECUTION_SCHEDULE');
  const gap = gapMs === undefined ? 'never again' : `at least ${shortSpan(gapMs)} from one tick to the next`;
  return gapMs === undefined
    ? warning(`${schedule}: ${gap}`, 'correct it if the job should run')
    : ok(`${schedule}: ${gap}`);
}

/** The shortest time between two of the coming ticks. */
function shortestGapMs(schedule: Schedule, nowMs: number): number | undefined {
  const times = comingTicks(schedule, nowMs, TICKS).map((tick) => tick.getTime());
  const gaps = times.slice(1).map((atMs, i) => atMs - Number(times[i]));
  return gaps.length > 0 ? Math.min(...gaps) : undefined;
}

function leaseOf(
  variables: Variables,
  retries: FunctionEventInvokeConfig | undefined,
  timeoutMs: number,
  gapMs: number | undefined,
): Verdict {
  const { LOCK_AT_MOST_FOR: most, LOCK_AT_LEAST_FOR: least } = variables;
  const [mostMs, leastMs] = [durationIn(most), durationIn(least)];
  if (Number.isNaN(mostMs) || Number.isNaN(leastMs)) {
    const found = `LOCK_AT_MOST_FOR ${most ?? 'unset'}, LOCK_AT_LEAST_FOR ${least ?? 'unset'}`;
    return problem(found, 'set durations, such as 15m or PT15M');
  }
  if (leastMs !== undefined && gapMs !== undefined && leastMs >= gapMs) {
    return problem(
      `lockAtLeastFor is ${shortSpan(leastMs)}, not less than the ${shortSpan(gapMs)} between two ticks`,
      'shorten LOCK_AT_LEAST_FOR: ticks are skipped as lock-at-least-for',
    );
  }
  const latestMs = timeoutMs + FIRST_RETRY_MS;
  const isRetried = retries?.MaximumRetryAttempts !== 0;
  if (isRetried && Math.max(mostMs ?? 0, leastMs ?? 0) >= latestMs) {
    const [name, ms] = (mostMs ?? 0) >= latestMs ? ['lockAtMostFor', mostMs] : ['lockAtLeastFor', leastMs];
    return warning(
      `${name} is ${shortSpan(Number(ms))}, and a retry comes ${shortSpan(timeoutMs + 60_000)} after the start of a run that was killed`,
      `keep it below ${shortSpan(latestMs)}: else that retry is skipped as locked, and its tick is not tried again`,
    );
  }
  if (mostMs === undefined) return ok('covers the timeout, unless the code says otherwise');
  const found = `lockAtMostFor is ${shortSpan(mostMs)}`;
  const leastNeededMs = timeoutMs + Math.max(1_000, timeoutMs / 50);
  if (mostMs >= leastNeededMs) return ok(found);
  return warning(
    `${found}, and the timeout is ${shortSpan(timeoutMs)}`,
    `raise LOCK_AT_MOST_FOR to ${shortSpan(leastNeededMs)} at least: a run that takes longer loses its lock, unless the code sets keepAlive`,
  );
}

/** A duration in milliseconds; undefined without a text, NaN if the text is not a duration. */
function durationIn(text: string | undefined): number | undefined {
  try {
    return text ? parseDuration(text, 'a duration') : undefined;
  } catch {
    return Number.NaN;
  }
}

function givenUpOf(
  { DeadLetterConfig }: FunctionConfiguration,
  retries: FunctionEventInvokeConfig | undefined,
): Verdict {
  const target = retries?.DestinationConfig?.OnFailure?.Destination ?? DeadLetterConfig?.TargetArn;
  if (target) return ok(`ticks that are given up go to ${target.split(':').at(-1)}`);
  return warning(
    'nowhere',
    'add a dead-letter queue or a destination on failure to the function, to send such a tick again',
  );
}
