import { Annotations, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import {
  type BundlingOptions,
  NodejsFunction,
  type NodejsFunctionProps,
  OutputFormat,
} from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { LockAlarms } from './lock-alarms.js';
import { NAMESPACE_VARIABLE } from './lock-metrics.js';
import { addSchedule, type LockSchedule } from './lock-schedule.js';
import type { ILockTable } from './lock-table.js';
import { checkLockAtLeastFor, checkLockTimes, lateTickIsInTheWay, lockedRetry } from './lock-times.js';
import { type PlannedSchedule, planSchedules, sharedLockWarnings } from './planned-schedule.js';
import { RETRY_DELAYS_MS, runRetries } from './retry-settings.js';
import { SCHEDULE_VARIABLE, scheduleVariables, TIME_ZONE_VARIABLE } from './schedule-variables.js';
import { refuseSharedLocks } from './shared-locks.js';

export interface SingleExecutionFunctionProps extends Omit<NodejsFunctionProps, 'logRetention'> {
  /** The file that exports the handler. */
  readonly entry: string;
  readonly lockTable: ILockTable;
  /** The locks that the function takes: names as given to `withSingleExecution`, or `prefix*`. It gets no others. */
  readonly lockNames: readonly string[];
  readonly schedules: readonly LockSchedule[];
  /**
   * The handler's option, which reads it as `LOCK_AT_MOST_FOR`. At least the time-out and 1 % more.
   *
   * @default the remaining time + 2 s
   */
  readonly lockAtMostFor?: Duration;
  /** The handler's option, which reads it as `LOCK_AT_LEAST_FOR`. Shorter than the period. @default none */
  readonly lockAtLeastFor?: Duration;
  /** What its alarms do, such as `new SnsAction(topic)`. @default alarms change their state and notify nobody */
  readonly alarmActions?: readonly IAlarmAction[];
}

/** `require` for bundled CommonJS packages. It is global, so that it does not clash with a name of the bundle. */
const COMMONJS =
  "import{createRequire as $require}from'node:module';import{dirname as $dirname}from'node:path';import{fileURLToPath as $path}from'node:url';globalThis.require??=$require(import.meta.url);globalThis.__filename??=$path(import.meta.url);globalThis.__dirname??=$dirname(globalThis.__filename);";

const BUNDLING: BundlingOptions = {
  target: 'node22',
  mainFields: ['module', 'main'],
  bundleAwsSDK: true,
  minify: true,
  sourceMap: true,
  sourcesContent: false,
};

/**
 * A Lambda function on a schedule: with the permissions of its locks and no others, retries that fit its period, a
 * dead-letter queue, a log and alarms. Its environment names the lock table, `LOCK_TABLE`, and `LOCK_KEY_PREFIX` where
 * the table has one. Where all its schedules are the same one, `scheduleFromEnvironment` reads it there.
 *
 * @throws TypeError, RangeError for names, times and schedules under which runs would overlap or be skipped
 */
export class SingleExecutionFunction extends NodejsFunction {
  /** How long its locks outlive a holder that dies: what was given, else the remaining time of a run (the time-out). */
  readonly lockAtMostFor: Duration;
  /** The namespace of its metrics, shared by the functions of a stack: `SingleExecution/<stack>`. */
  readonly metricNamespace: string;
  readonly schedules: readonly PlannedSchedule[];
  /** Receives the ticks that were given up. */
  readonly deadLetters: Queue;
  readonly alarms: LockAlarms;

  constructor(scope: Construct, id: string, props: SingleExecutionFunctionProps) {
    const { lockTable, lockNames, schedules, lockAtMostFor, lockAtLeastFor, alarmActions = [], ...given } = props;
    const { timeout = Duration.minutes(1), retryAttempts, maxEventAge, onFailure, onSuccess, ...fn } = given;
    const { runtime = Runtime.NODEJS_24_X, architecture = Architecture.ARM_64, memorySize = 256, ...own } = fn;
    const metricNamespace = `SingleExecution/${Stack.of(scope).stackName}`;
    checkEnvironment(own.environment);
    checkLockTimes({ lockAtMostFor, lockAtLeastFor, timeout });
    const planned = planSchedules(schedules, lockNames, lockTable.keyPrefix);
    for (const schedule of planned) checkLockAtLeastFor(lockAtLeastFor, schedule);

    super(scope, id, {
      ...own,
      runtime,
      architecture,
      memorySize,
      role: own.role ?? runRole(scope, id, own.vpc),
      logGroup: own.logGroup ?? monthLog(scope, id),
      timeout,
      bundling: bundlingOf(own.bundling),
      environment: {
        NODE_OPTIONS: '--enable-source-maps',
        ...own.environment,
        LOCK_TABLE: lockTable.table.tableName,
        ...(lockTable.keyPrefix !== '' && { LOCK_KEY_PREFIX: lockTable.keyPrefix }),
        ...(lockAtMostFor && { LOCK_AT_MOST_FOR: lockAtMostFor.toIsoString() }),
        ...(lockAtLeastFor && { LOCK_AT_LEAST_FOR: lockAtLeastFor.toIsoString() }),
        [NAMESPACE_VARIABLE]: metricNamespace,
        ...scheduleVariables(planned),
      },
    });
    this.lockAtMostFor = lockAtMostFor ?? timeout;
    this.metricNamespace = metricNamespace;
    this.schedules = planned;
    refuseSharedLocks(this, lockTable, lockNames);
    lockTable.grantLock(this, lockNames);
    this.logGroup.grantWrite(this);

    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    const runs = runRetries(Math.min(...planned.map(periodMs)), timeout.toMilliseconds());
    const attempts = retryAttempts ?? runs.attempts;
    this.configureAsyncInvoke({
      retryAttempts: attempts,
      maxEventAge: maxEventAge ?? Duration.millis(runs.maxAgeMs),
      onFailure: onFailure ?? new SqsDestination(this.deadLetters),
      ...(onSuccess && { onSuccess }),
    });
    for (const warning of sharedLockWarnings(planned)) {
      Annotations.of(this).addWarningV2('single-execution:several-schedules', warning);
    }
    const kept = attempts > 0 && lockedRetry({ lockAtMostFor, lockAtLeastFor, timeout }, RETRY_DELAYS_MS[0]);
    if (kept) Annotations.of(this).addWarningV2('single-execution:locked-retry', kept);
    for (const schedule of planned) {
      const late = lateTickIsInTheWay(lockAtLeastFor, schedule);
      if (late) Annotations.of(this).addWarningV2(`single-execution:late-tick:${schedule.id}`, late);
      addSchedule(this, schedule, this.deadLetters);
    }
    this.alarms = new LockAlarms(this, 'Alarms', {
      fn: this,
      timeout,
      retries: attempts,
      deadLetters: this.deadLetters,
      namespace: metricNamespace,
      schedules: planned,
      actions: alarmActions,
    });
  }
}

/** Variables that only the construct may set, because it has checked their values. */
const OWN_VARIABLES: Readonly<Record<string, string>> = {
  LOCK_TABLE: 'lockTable',
  LOCK_KEY_PREFIX: 'lockTable',
  LOCK_AT_MOST_FOR: 'lockAtMostFor',
  LOCK_AT_LEAST_FOR: 'lockAtLeastFor',
  [NAMESPACE_VARIABLE]: 'the stack',
  [SCHEDULE_VARIABLE]: 'schedules',
  [TIME_ZONE_VARIABLE]: 'schedules',
};

function checkEnvironment(environment: Readonly<Record<string, string>> = {}): void {
  for (const [variable, source] of Object.entries(OWN_VARIABLES)) {
    if (variable in environment) {
      throw new TypeError(`environment has ${variable}, which follows from ${source}: leave it out`);
    }
  }
}

function bundlingOf(given: BundlingOptions = {}): BundlingOptions {
  const { format = OutputFormat.ESM, banner = '' } = given;
  return { ...BUNDLING, ...given, format, banner: format === OutputFormat.ESM ? COMMONJS + banner : banner };
}

const periodMs = ({ gaps }: PlannedSchedule): number => gaps?.shortestMs ?? Number.POSITIVE_INFINITY;

function monthLog(scope: Construct, id: string): LogGroup {
  return new LogGroup(scope, `${id}:Log`, { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY });
}

/** CDK's own role for a function may write to every log group of the account. This one may not. */
function runRole(scope: Construct, id: string, vpc: IVpc | undefined): Role {
  const network = ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaENIManagementAccess');
  return new Role(scope, `${id}:Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    managedPolicies: vpc ? [network] : [],
  });
}
