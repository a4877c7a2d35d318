import { CfnResource, Duration, Reference, Stack, Tokenization } from 'aws-cdk-lib';
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
 * `deadLetterQueue`, as `onFailure` or on the function itself, else a new one. If `onFailure` is no queue, the
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
      `${fn.node.path} has retries or destinations of its own: give retryAttempts, maxEventAge, onFailure and onSuccess here instead, where they are made to fit the schedules`,
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
    own.encryptionMasterKey?.grantEncryptDecrypt(fn);
    return { queue: standard(own), hasRuns: true };
  }
  acknowledgeDestination(functionBehind(fn));
  if (!onFailure) {
    const queue = standard(deadLetterQueue ?? newQueue(scope));
    fn.configureAsyncInvoke({ ...settings, onFailure: new SqsDestination(queue) });
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
    throw new TypeError('deadLetterQueue and onFailure are two queues: give one of them, which then has both kinds');
  }
  return { queue: standard(queue ?? deadLetterQueue ?? newQueue(scope)), hasRuns: queue !== undefined };
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
      `${fn.node.path} has a deadLetterTopic, which schedules cannot use: leave it out, and give onFailure: new SnsDestination(topic) here`,
    );
  }
  return deadLetterQueue;
}

/** Finds the queue with an ARN, in this app or imported; undefined if the ARN is no queue's. */
function queueAt(scope: Construct, arn: string, destination: IDestination): IQueue | undefined {
  const token = Tokenization.reverse(arn, { failConcat: false });
  const target = Reference.isReference(token) ? token.target : undefined;
  const isOfApp = CfnResource.isCfnResource(target) && target.cfnResourceType === CfnQueue.CFN_RESOURCE_TYPE_NAME;
  const queue = isOfApp ? target.node.scope : undefined;
  if (queue && queue.node.defaultChild === target && 'queueArn' in queue) return queue as unknown as IQueue;
  const isImported = destination instanceof SqsDestination || arn.split(':')[2] === 'sqs';
  return isOfApp || isImported ? Queue.fromQueueArn(scope, 'DeadLetters', arn) : undefined;
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
function standard(queue: IQueue): IQueue {
  if (queue.fifo) throw new TypeError(`${queue.node.path} is a FIFO queue: dead letters go to a standard one alone`);
  return queue;
}

function isSame(scope: Construct, one: IQueue, other: IQueue): boolean {
  const arnOf = ({ queueArn }: IQueue) => JSON.stringify(Stack.of(scope).resolve(queueArn));
  return arnOf(one) === arnOf(other);
}
