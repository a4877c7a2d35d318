import { type Clock, systemClock } from '../core/values/clock.js';

/** The fields that the event of a rule and the event of a schedule share. */
interface Envelope {
  /** Version of the format: `0`. */
  version: string;
  /** Id of the event. */
  id: string;
  /** The kind of event. */
  'detail-type': 'Scheduled Event';
  /** The sender: `aws.events` or `aws.scheduler`. */
  source: string;
  /** The account of the rule or schedule. */
  account: string;
  /** The scheduled time, as an ISO string of whole seconds in UTC. */
  time: string;
  /** The region of the rule or schedule. */
  region: string;
  /** ARN of the rule or schedule. */
  resources: string[];
}

/** The event of an EventBridge rule with a schedule, as AWS sends it; fits `ScheduledEvent` of @types/aws-lambda. */
export interface RuleEvent extends Envelope {
  /** Always empty. */
  detail: Record<string, never>;
}

/** The event that EventBridge Scheduler sends to a target without an input: `detail` is a string. */
export interface SchedulerDefaultEvent extends Envelope {
  /** Always `{}`, as a string. */
  detail: string;
}

/** An input of EventBridge Scheduler with its context attributes, all strings. */
export interface SchedulerAttributesEvent {
  /** `<aws.scheduler.scheduled-time>`: the scheduled time, as an ISO string. */
  scheduledTime: string;
  /** `<aws.scheduler.schedule-arn>`: the ARN of the schedule. */
  scheduleArn: string;
  /** `<aws.scheduler.attempt-number>`: the number of this delivery. */
  attemptNumber: string;
  /** `<aws.scheduler.execution-id>`: a new id for each delivery. */
  executionId: string;
}

/** Options of {@link scheduledEvent}. */
export interface ScheduledEventOptions {
  /** The scheduled time. A string is passed on unchanged. @default '2026-01-01T00:00:00Z' */
  readonly time?: Date | number | string;
  /** ARN of the rule; the event's account and region come from it. @default a rule named send-digest */
  readonly ruleArn?: string;
  /** Id of the event. @default a new id for each event */
  readonly id?: string;
}

/** Options of {@link schedulerEvent}. */
export interface SchedulerEventOptions {
  /** The scheduled time. A string is passed on unchanged. @default '2026-01-01T00:00:00Z' */
  readonly scheduledTime?: Date | number | string;
  /** ARN of the schedule; the default event's account and region come from it. @default a schedule named send-digest */
  readonly scheduleArn?: string;
  /** Number of this delivery; only an event made of attributes contains it. @default 1 */
  readonly attemptNumber?: number;
  /** `default`: the schedule has no input. `attributes`: the input is made of context attributes. @default 'default' */
  readonly style?: 'default' | 'attributes';
}

/** The first instant of 2026, at which `manualClock()` also starts. */
const FIRST_TICK = '2026-01-01T00:00:00Z';

/**
 * Makes an event of an EventBridge rule. Two events with the same `time` stand for one tick that is delivered twice.
 *
 * @example
 * ```ts
 * import { scheduledEvent } from 'single-execution/testing';
 *
 * const event = scheduledEvent({ time: '2026-01-01T02:00:00Z' });
 * const duplicate = { ...event };
 * ```
 */
export function scheduledEvent(options: ScheduledEventOptions = {}): RuleEvent {
  const {
    time = FIRST_TICK,
    ruleArn = 'arn:aws:events:eu-west-1:123456789012:rule/send-digest',
    id = crypto.randomUUID(),
  } = options;
  return { ...envelope(id, 'aws.events', instant(time), ruleArn), detail: {} };
}

/**
 * Makes an event of EventBridge Scheduler. Two events with the same `scheduledTime` stand for one tick that is
 * delivered twice.
 *
 * @example
 * ```ts
 * import { schedulerEvent } from 'single-execution/testing';
 *
 * const event = schedulerEvent({ style: 'attributes', attemptNumber: 2 });
 * console.log(event.scheduledTime, event.attemptNumber); // → 2026-01-01T00:00:00Z 2
 * ```
 */
export function schedulerEvent(
  options: SchedulerEventOptions & {
    /** The form of the event. */
    readonly style: 'attributes';
  },
): SchedulerAttributesEvent;
export function schedulerEvent(
  options?: SchedulerEventOptions & {
    /** The form of the event. */
    readonly style?: 'default';
  },
): SchedulerDefaultEvent;
export function schedulerEvent(options: SchedulerEventOptions = {}): SchedulerAttributesEvent | SchedulerDefaultEvent {
  const {
    scheduledTime = FIRST_TICK,
    scheduleArn = 'arn:aws:scheduler:eu-west-1:123456789012:schedule/default/send-digest',
    attemptNumber = 1,
    style = 'default',
  } = options;
  const time = instant(scheduledTime);
  const id = crypto.randomUUID();
  if (style === 'default') return { ...envelope(id, 'aws.scheduler', time, scheduleArn), detail: '{}' };
  // An execution id is new for each delivery, so it does not identify a tick.
  return { scheduledTime: time, scheduleArn, attemptNumber: String(attemptNumber), executionId: id.slice(-12) };
}

function envelope(id: string, source: string, time: string, arn: string): Envelope {
  const [, , , region = '', account = ''] = arn.split(':');
  return { version: '0', id, 'detail-type': 'Scheduled Event', source, account, time, region, resources: [arn] };
}

/** Writes a time as AWS does: whole seconds, in UTC. */
function instant(time: Date | number | string): string {
  return typeof time === 'string' ? time : new Date(time).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/**
 * The complete second argument of a Lambda handler; fits `Context` of @types/aws-lambda. It repeats the adapter's type,
 * because the testing kit imports no adapter.
 */
export interface LambdaContext {
  /** True, unless another value is given. */
  callbackWaitsForEmptyEventLoop: boolean;
  /** Name of the function. @default 'send-digest' */
  functionName: string;
  /** Version of the function. @default '$LATEST' */
  functionVersion: string;
  /** ARN of the function, in eu-west-1. */
  invokedFunctionArn: string;
  /** Memory of the function, in megabytes. @default '128' */
  memoryLimitInMB: string;
  /** A new UUID for each context. */
  awsRequestId: string;
  /** CloudWatch log group of the function. */
  logGroupName: string;
  /** Log stream of the execution environment. */
  logStreamName: string;
  /** Milliseconds until Lambda ends the invocation; negative after that. */
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
    // Lambda returns whole milliseconds; on Lambda Managed Instances they are negative after the timeout.
    getRemainingTimeInMillis: () => Math.floor(deadline - clock.monotonic()),
    done() {},
    fail() {},
    succeed() {},
    ...properties,
  };
}
