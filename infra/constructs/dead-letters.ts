import { CfnResource, Duration, Reference, Stack, Tokenization } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type {
  EventInvokeConfigOptions,
  IDestination,
  IFunction,
  Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { CfnQueue, type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledgeDestination, acknowledgeQueue } from './acknowledged-findings.js';
import { functionBehind } from './attached-function.js';
import { warnOfDistantQueue } from './dead-letter-place.js';
import { grantKeyUse, importedAlias } from './key-rights.js';
import { ownerOf, warnToAdd } from './missing-rights.js';

export interface RunSettings extends EventInvokeConfigOptions {
  readonly deadLetterQueue?: IQueue;
}

/** The dead-letter queue of a function. It gets the ticks that Lambda and the schedules give up. */
export interface DeadLetters {
  /** The queue that gets dead letters. */
  readonly queue: IQueue;
  /** Whether the queue also gets failed runs, and not only failed deliveries. */
  readonly hasRuns: boolean;
}

/**
 * Configures what Lambda does with a failed run, and finds the one dead-letter queue: the queue that is given as
 * `deadLetterQueue`, as `onFailure` or on the function itself, else a new one. If `onFailure` is not a queue, the
 * dead-letter queue gets only failed deliveries.
 *
 * @throws TypeError if the function has retries, destinations or a dead-letter topic of its own; for settings that
 *   would make a second queue; for a FIFO queue
 */
export function configureRuns(
  scope: Construct,
  fn: IFunction,
  { deadLetterQueue, onFailure, ...settings }: RunSettings,
): DeadLetters {
  if (fn.node.tryFindChild('EventInvokeConfig')) {
    throw new TypeError(
      `${fn.node.path} has retries or destinations of its own: set retryAttempts, maxEventAge, onFailure and onSuccess here instead, where they are made to fit the schedules`,
    );
  }
  const own = queueOfFunction(fn);
  if (own) {
    if (onFailure || (deadLetterQueue && !isSame(scope, deadLetterQueue, own))) {
      throw new TypeError(
        `${fn.node.path} has a dead-letter queue: leave out ${onFailure ? 'onFailure' : 'deadLetterQueue'}, or make the function without one`,
      );
    }
    fn.configureAsyncInvoke(settings);
    // CDK gives a function the right to send to its queue, but no right to use the queue's key.
    if (own.encryptionMasterKey) grantKeyUse(fn, own.encryptionMasterKey, fn);
    return { queue: usable(fn, own), hasRuns: true };
  }
  acknowledgeDestination(functionBehind(fn));
  if (!onFailure) {
    const queue = usable(fn, deadLetterQueue ?? newQueue(scope));
    fn.configureAsyncInvoke({ ...settings, onFailure: new SqsDestination(queue) });
    grantAlias(fn, queue);
    return { queue, hasRuns: true };
  }
  let arn = '';
  const noted: IDestination = {
    bind(...args) {
      const bound = onFailure.bind(...args);
      arn = bound.destination;
      return bound;
    },
  };
  fn.configureAsyncInvoke({ ...settings, onFailure: noted });
  const queue = queueAt(scope, arn, onFailure);
  if (queue && deadLetterQueue && !isSame(scope, deadLetterQueue, queue)) {
    throw new TypeError('deadLetterQueue and onFailure are two queues: pass one of them, which then has both kinds');
  }
  if (queue) grantAlias(fn, queue);
  return { queue: usable(fn, queue ?? deadLetterQueue ?? newQueue(scope)), hasRuns: queue !== undefined };
}

/** Allows a function to use the key of a queue that was given by an alias. CDK gives no right to an imported alias. */
function grantAlias(fn: IFunction, { encryptionMasterKey: key }: IQueue): void {
  if (key && importedAlias(key) !== undefined) grantKeyUse(fn, key, fn);
}

/** Warns of the right to send failed runs to the queue, for a function whose role cannot be changed here. */
export function warnOfSending(fn: IFunction, { queue, hasRuns }: DeadLetters): void {
  if (!hasRuns) return;
  warnToAdd(fn, ownerOf(fn), new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
}

/**
 * Returns the function's own dead-letter queue; undefined if the function has none.
 *
 * @throws TypeError for a topic, which cannot take failed deliveries
 */
function queueOfFunction(fn: IFunction): IQueue | undefined {
  const { deadLetterQueue, deadLetterTopic }: Partial<LambdaFunction> = functionBehind(fn) as LambdaFunction;
  if (deadLetterTopic) {
    throw new TypeError(
      `${fn.node.path} has a deadLetterTopic, which schedules cannot use: leave it out, and set onFailure: new SnsDestination(topic) here`,
    );
  }
  return deadLetterQueue;
}

/** Finds the queue of a destination, in this app or imported; undefined if it is not a queue. */
function queueAt(scope: Construct, arn: string, destination: IDestination): IQueue | undefined {
  const token = Tokenization.reverse(arn, { failConcat: false });
  const target = Reference.isReference(token) ? token.target : undefined;
  const isOfApp = CfnResource.isCfnResource(target) && target.cfnResourceType === CfnQueue.CFN_RESOURCE_TYPE_NAME;
  const queue = isOfApp ? target.node.scope : undefined;
  if (queue && queue.node.defaultChild === target && 'queueArn' in queue) return queue as unknown as IQueue;
  // An SqsDestination knows its queue, with the queue's key. An `instanceof` fails if an app loads two copies of CDK.
  const { queue: given } = destination as { readonly queue?: IQueue };
  if (typeof given?.queueArn === 'string') return given;
  return isOfApp || arn.split(':')[2] === 'sqs' ? Queue.fromQueueArn(scope, 'DeadLetters', arn) : undefined;
}

function newQueue(scope: Construct): Queue {
  const queue = new Queue(scope, 'DeadLetters', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
  });
  acknowledgeQueue(queue);
  return queue;
}

/** @throws TypeError for a FIFO queue, which neither Lambda nor EventBridge can use for dead letters */
function usable(fn: IFunction, queue: IQueue): IQueue {
  if (queue.fifo) throw new TypeError(`${queue.node.path} is a FIFO queue: dead letters need a standard queue`);
  warnOfDistantQueue(fn, queue);
  return queue;
}

function isSame(scope: Construct, one: IQueue, other: IQueue): boolean {
  const arnOf = ({ queueArn }: IQueue) => JSON.stringify(Stack.of(scope).resolve(queueArn));
  return arnOf(one) === arnOf(other);
}
