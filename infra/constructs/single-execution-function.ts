import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture, type CfnFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, type NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs';
import { type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledgeNoTraces } from './acknowledged-findings.js';
import type { LockAlarms } from './alarms/lock-alarms.js';
import { bundlingOf } from './bundling.js';
import { narrowFunctionRole } from './function-role.js';
import { differ, warnIfMissing, warnToAdd } from './missing-rights.js';
import type { PlannedSchedule } from './planned-schedule.js';
import { refuseShapeOfFunction } from './props-shape.js';
import { SingleExecution, type SingleExecutionProps } from './single-execution.js';

/** Options of `SingleExecutionFunction`, and the options of `NodejsFunction`. */
export interface SingleExecutionFunctionProps
  extends Omit<NodejsFunctionProps, 'logRetention' | 'logRemovalPolicy' | keyof SingleExecutionProps>,
    SingleExecutionProps {
  /** The file that exports the handler. */
  readonly entry: string;
  /** The function always has a dead-letter queue: `true` changes nothing, and `false` is refused. @default true */
  readonly deadLetterQueueEnabled?: boolean;
  /** A topic is refused: set `onFailure: new SnsDestination(topic)`. @default none */
  readonly deadLetterTopic?: ITopic;
  /** How long the function's log is kept. @default RetentionDays.ONE_MONTH */
  readonly logRetention?: RetentionDays;
  /** What happens to the function's log when the stack is deleted. @default RemovalPolicy.DESTROY */
  readonly logRemovalPolicy?: RemovalPolicy;
  /**
   * The key that encrypts the function's log. The construct extends the key's policy, so that CloudWatch Logs can use
   * the key. @default a key that AWS owns
   */
  readonly logEncryptionKey?: IKey;
}

/**
 * A Lambda function on a schedule. Its handler, wrapped by `withSingleExecution`, runs at most once per scheduled time,
 * and never two at once. The function may use its own locks and no others. It has retries that end before the next
 * tick, a dead-letter queue, a log and alarms. Its environment has the name of the lock table as `LOCK_TABLE`, and the
 * table's prefix, if it has one, as `LOCK_KEY_PREFIX`. If all schedules of the function are the same,
 * `scheduleFromEnvironment` reads the schedule there.
 *
 * @example
 * ```ts
 * import { Duration, type Stack } from 'aws-cdk-lib';
 * import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
 * import { type LockTable, SingleExecutionFunction } from 'single-execution/cdk';
 *
 * export function addDigest(stack: Stack, lockTable: LockTable) {
 *   return new SingleExecutionFunction(stack, 'SendDigest', {
 *     entry: 'src/send-digest.ts',
 *     lockTable,
 *     lockNames: ['send-digest'],
 *     schedules: [{ schedule: ScheduleExpression.rate(Duration.minutes(5)) }],
 *   });
 * }
 * ```
 *
 * @throws TypeError, RangeError for names, times or schedules that would make runs overlap or be skipped
 */
export class SingleExecutionFunction extends NodejsFunction {
  /**
   * What the construct adds to the function besides its code. `SingleExecution.attach` adds the same to any function.
   */
  readonly execution: SingleExecution;
  /**
   * How long a lock outlives a holder that dies: the given `lockAtMostFor`. Without `lockAtMostFor` it is the
   * function's timeout, which leaves out the 2 s that a run adds to its lease.
   */
  readonly lockAtMostFor: Duration;
  /** The CloudWatch namespace that the functions of a stack share for their metrics: `SingleExecution/<stack>`. */
  readonly metricNamespace: string;
  /** The function's schedules, each with its lock and the time between runs. */
  readonly schedules: readonly PlannedSchedule[];
  /** The queue that receives the ticks that were given up. */
  readonly deadLetters: IQueue;
  /** The function's alarms. */
  readonly alarms: LockAlarms;
  readonly #log: ILogGroup | undefined;

  constructor(scope: Construct, id: string, props: SingleExecutionFunctionProps) {
    const { retryAttempts, maxEventAge, onFailure, onSuccess, deadLetterQueue, ...others } = props;
    const { deadLetterQueueEnabled, deadLetterTopic, logRetention, logRemovalPolicy, logEncryptionKey, ...own } =
      others;
    refuseShapeOfFunction(props);
    refuseUnusable(props);
    const { runtime = Runtime.NODEJS_24_X, architecture = Architecture.ARM_64 } = own;
    super(scope, id, {
      ...own,
      runtime,
      architecture,
      memorySize: own.memorySize ?? 256,
      timeout: own.timeout ?? Duration.minutes(1),
      bundling: bundlingOf(runtime, own.bundling),
      environment: { NODE_OPTIONS: '--enable-source-maps', ...own.environment },
    });
    if (!own.role) narrowFunctionRole(this.role);
    if (!own.tracing) acknowledgeNoTraces(this);
    this.#log = own.logGroup ? undefined : ownLog(this, props);
    warnIfMissing(this, this, this.logGroup.grantWrite(this));
    this.execution = SingleExecution.attach(this, props);
    this.lockAtMostFor = this.execution.lockAtMostFor;
    this.metricNamespace = this.execution.metricNamespace;
    this.schedules = this.execution.schedules;
    this.deadLetters = this.execution.deadLetters;
    this.alarms = this.execution.alarms;
  }

  /** The function's log group. */
  override get logGroup(): ILogGroup {
    return this.#log ?? super.logGroup;
  }
}

/** Makes the function's log group, in place of the group that CDK makes if its flag `useCdkManagedLogGroup` is on. */
function ownLog(fn: NodejsFunction, props: SingleExecutionFunctionProps): LogGroup {
  const { logRetention, logRemovalPolicy, logEncryptionKey } = props;
  fn.node.tryRemoveChild('LogGroup');
  if (logEncryptionKey) allowLogs(fn, logEncryptionKey);
  const log = new LogGroup(fn, 'LogGroup', {
    retention: logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: logRemovalPolicy ?? RemovalPolicy.DESTROY,
    ...(logEncryptionKey && { encryptionKey: logEncryptionKey }),
  });
  const resource = fn.node.defaultChild as CfnFunction;
  resource.loggingConfig = { ...resource.loggingConfig, logGroup: log.logGroupName };
  return log;
}

/**
 * Allows CloudWatch Logs to use a key for log groups of the account. The service uses the key as a principal of its
 * own.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
function allowLogs(fn: NodejsFunction, key: IKey): void {
  const { region, urlSuffix, account, partition } = Stack.of(fn);
  if (differ(key.env.region, region)) {
    throw new TypeError(
      `logEncryptionKey ${key.node.path} is in ${key.env.region}, and the log of ${fn.node.path} in ${region}: pass a key of ${region}`,
    );
  }
  const logs = new ServicePrincipal(`logs.${region}.${urlSuffix}`);
  const ofAccount = `arn:${partition}:logs:${region}:${account}:*`;
  const statement = new PolicyStatement({
    principals: [logs],
    actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
    resources: ['*'],
    conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': ofAccount } },
  });
  if (!key.addToResourcePolicy(statement).statementAdded) warnToAdd(fn, `key ${key.node.path}`, statement);
}

/** @throws TypeError for dead-letter options of Lambda that schedules cannot use, and for two log groups */
function refuseUnusable(props: SingleExecutionFunctionProps): void {
  if (props.deadLetterQueueEnabled === false) {
    throw new TypeError(
      'deadLetterQueueEnabled is false: a tick that is given up would be lost; leave it out, or pass a queue as deadLetterQueue',
    );
  }
  if (props.deadLetterTopic) {
    throw new TypeError(
      'deadLetterTopic cannot take what schedules give up: leave it out, and set onFailure: new SnsDestination(topic)',
    );
  }
  const ofLog = (['logRetention', 'logRemovalPolicy', 'logEncryptionKey'] as const).find((name) => props[name]);
  if (props.logGroup && ofLog) {
    throw new TypeError(`${ofLog} is of the log group that is made without logGroup: leave one of them out`);
  }
}
