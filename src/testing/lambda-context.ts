import { type Clock, systemClock } from '../core/values/clock.js';

/**
 * The complete second argument of a Lambda handler; fits `Context` of @types/aws-lambda. Declared again here because
 * the testing kit imports no adapter.
 */
export interface LambdaContext {
  /** Always true unless given. */
  callbackWaitsForEmptyEventLoop: boolean;
  /** Name of the function. @default 'send-digest' */
  functionName: string;
  /** Its version. @default '$LATEST' */
  functionVersion: string;
  /** ARN of the function, in eu-west-1. */
  invokedFunctionArn: string;
  /** Memory of the function, in megabytes. @default '128' */
  memoryLimitInMB: string;
  /** A new UUID for each context. */
  awsRequestId: string;
  /** CloudWatch log group of the function. */
  logGroupName: string;
  /** Log stream of the environment. */
  logStreamName: string;
  /** Milliseconds until Lambda ends the invocation; negative once that is past. */
  getRemainingTimeInMillis(): number;
  /** Does nothing. */
  done(error?: Error, result?: unknown): void;
  /** Does nothing. */
  fail(error: Error | string): void;
  /** Does nothing. */
  succeed(message: unknown, object?: unknown): void;
}

/** Options of {@link lambdaContext}. Any property of the context can be given as well. */
export interface LambdaContextOverrides extends Partial<LambdaContext> {
  /** Time until Lambda ends the invocation, in milliseconds, from the creation of the context on. @default 60_000 */
  readonly remainingMs?: number;
  /** The clock of the remaining time. @default the system's clock */
  readonly clock?: Clock;
}

/**
 * Makes the context of one invocation, with its own request id.
 *
 * @example
 * ```ts
 * import { lambdaContext, manualClock } from 'single-execution/testing';
 *
 * const clock = manualClock();
 * const context = lambdaContext({ remainingMs: 30_000, clock });
 * await clock.advance(20_000);
 * console.log(context.getRemainingTimeInMillis()); // → 10000
 * ```
 */
export function lambdaContext(overrides: LambdaContextOverrides = {}): LambdaContext {
  const { remainingMs = 60_000, clock = systemClock, ...properties } = overrides;
  const { functionName = 'send-digest', functionVersion = '$LATEST' } = properties;
  const deadline = clock.monotonic() + remainingMs;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion,
    invokedFunctionArn: `arn:aws:lambda:eu-west-1:123456789012:function:${functionName}`,
    memoryLimitInMB: '128',
    awsRequestId: crypto.randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: `2026/01/01/[${functionVersion}]0123456789abcdef0123456789abcdef`,
    // Whole milliseconds; negative on Lambda Managed Instances after their timeout.
    getRemainingTimeInMillis: () => Math.floor(deadline - clock.monotonic()),
    done() {},
    fail() {},
    succeed() {},
    ...properties,
  };
}
