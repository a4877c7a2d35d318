import { CfnParameter, Fn, Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { FunctionOptions, IDestination } from 'aws-cdk-lib/aws-lambda';
import { EventBridgeDestination, SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { type AttachProps, LockTable, SingleExecution } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { nightly, ownFunction } from './digest.js';
import { appStack, propertiesOf, templateOf } from './synthesised.js';

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:mine';

function attached(stack: Stack, props: Partial<AttachProps> = {}, options: FunctionOptions = {}): SingleExecution {
  const fn = ownFunction(stack, 'Digest', options);
  const lockTable = new LockTable(stack, 'Locks');
  return SingleExecution.attach(fn, { lockTable, lockNames: ['digest'], schedules: [{ schedule: nightly }], ...props });
}

/** Where a template sends failed runs, events that Lambda gave up, and deliveries that Scheduler gave up. */
function destinations(template: Template) {
  const first = (type: string) => propertiesOf(template, type)[0];
  return {
    runs: first('AWS::Lambda::EventInvokeConfig').DestinationConfig?.OnFailure.Destination,
    lambdas: first('AWS::Lambda::Function').DeadLetterConfig?.TargetArn,
    deliveries: first('AWS::Scheduler::Schedule').Target.DeadLetterConfig.Arn,
  };
}

describe('the one queue of both', () => {
  test.each<[string, (queue: Queue) => Partial<AttachProps>]>([
    ['deadLetterQueue', (deadLetterQueue) => ({ deadLetterQueue })],
    ['onFailure', (queue) => ({ onFailure: new SqsDestination(queue) })],
    ['both', (deadLetterQueue) => ({ deadLetterQueue, onFailure: new SqsDestination(deadLetterQueue) })],
  ])('is that given as %s', (_, props) => {
    const stack = appStack();
    const mine = new Queue(stack, 'Mine');
    const { deadLetters } = attached(stack, props(mine));
    const template = templateOf(stack);
    const arn = stack.resolve(mine.queueArn);

    expect(deadLetters).toBe(mine);
    expect(destinations(template)).toMatchObject({ runs: arn, deliveries: arn, lambdas: undefined });
    template.resourceCountIs('AWS::SQS::Queue', 1);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/SQS',
      Dimensions: [{ Name: 'QueueName', Value: stack.resolve(mine.queueName) }],
    });
  });

  test.each<[string, (stack: Stack, arn: string) => IQueue]>([
    ['by its ARN', (stack, arn) => Queue.fromQueueArn(stack, 'Mine', arn)],
    [
      'by its ARN with tokens',
      (stack) => Queue.fromQueueArn(stack, 'Mine', stack.formatArn({ service: 'sqs', resource: 'mine' })),
    ],
    ['from the output of a stack', (stack) => Queue.fromQueueArn(stack, 'Mine', Fn.importValue('mine'))],
    [
      'by a parameter',
      (stack) => Queue.fromQueueArn(stack, 'Mine', new CfnParameter(stack, 'MineArn', { default: ARN }).valueAsString),
    ],
  ])('is that given as onFailure, imported %s', (_, of) => {
    const stack = appStack();
    const mine = of(stack, ARN);
    const { deadLetters } = attached(stack, { onFailure: new SqsDestination(mine) });
    const template = templateOf(stack);
    const arn = stack.resolve(mine.queueArn);

    expect(stack.resolve(deadLetters.queueName)).toEqual(stack.resolve(mine.queueName));
    expect(destinations(template)).toMatchObject({ runs: arn, deliveries: arn });
    template.resourceCountIs('AWS::SQS::Queue', 0);
  });

  test('is that of another stack', () => {
    const stack = appStack();
    const mine = new Queue(new Stack(stack.node.root, 'Queues'), 'Mine');

    expect(attached(stack, { onFailure: new SqsDestination(mine) }).deadLetters).toBe(mine);
    expect(JSON.stringify(destinations(templateOf(stack)).deliveries)).toContain('Queues:ExportsOutput');
  });

  test('is that of the function itself, which Lambda writes to by itself', () => {
    const stack = appStack();
    const mine = new Queue(stack, 'Mine');
    const { deadLetters } = attached(stack, {}, { deadLetterQueue: mine });
    const template = templateOf(stack);
    const arn = stack.resolve(mine.queueArn);

    expect(deadLetters).toBe(mine);
    expect(destinations(template)).toMatchObject({ runs: undefined, lambdas: arn, deliveries: arn });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 2 });
    template.resourceCountIs('AWS::SQS::Queue', 1);
  });

  test.each<[string, (queue: Queue) => [Partial<AttachProps>, FunctionOptions]]>([
    ['deadLetterQueue', (deadLetterQueue) => [{ deadLetterQueue }, {}]],
    ['the queue of the function itself', (deadLetterQueue) => [{}, { deadLetterQueue }]],
  ])('is written to with a key of its own by function and schedule: %s', (_, of) => {
    const stack = appStack();
    const mine = new Queue(stack, 'Mine', { encryptionMasterKey: new Key(stack, 'Key') });
    attached(stack, ...of(mine));
    const mayEncrypt = propertiesOf(templateOf(stack), 'AWS::IAM::Policy').filter(({ PolicyDocument }) =>
      PolicyDocument.Statement.some(({ Action }: { Action: string[] }) => Action.includes('kms:Decrypt')),
    );

    expect(mayEncrypt.map(({ Roles }) => Roles[0].Ref).sort()).toEqual([
      expect.stringMatching(/^DigestServiceRole/),
      expect.stringMatching(/^DigestSingleExecutionSchedulerRole/),
    ]);
  });
});

describe('an onFailure that is no queue', () => {
  test.each<[string, (stack: Stack) => IDestination]>([
    ['a topic', (stack) => new SnsDestination(new Topic(stack, 'Mine'))],
    ['an event bus', () => new EventBridgeDestination()],
  ])('has the runs, and a queue has deliveries alone: %s', (_, of) => {
    const stack = appStack();
    attached(stack, { onFailure: of(stack) });
    const template = templateOf(stack);
    const { runs, deliveries } = destinations(template);
    const [queue] = Object.keys(template.findResources('AWS::SQS::Queue'));

    expect(JSON.stringify(runs)).toMatch(/Mine|event-bus/);
    expect(deliveries).toEqual({ 'Fn::GetAtt': [queue, 'Arn'] });
    template.resourceCountIs('AWS::SQS::Queue', 1);
  });

  test('leaves deliveries to the queue that was given', () => {
    const stack = appStack();
    const deadLetterQueue = new Queue(stack, 'Queue');
    const topic = new Topic(stack, 'Mine');
    attached(stack, { deadLetterQueue, onFailure: new SnsDestination(topic) });
    const template = templateOf(stack);

    expect(destinations(template)).toMatchObject({
      runs: stack.resolve(topic.topicArn),
      deliveries: stack.resolve(deadLetterQueue.queueArn),
    });
    template.resourceCountIs('AWS::SQS::Queue', 1);
  });
});

describe('refuses', () => {
  test('a queue of another region for a rule, which sends to its own region alone', () => {
    const here = () => appStack({ env: { region: 'eu-west-2', account: '123456789012' } });
    const queueOf = (stack: Stack, region: string) =>
      Queue.fromQueueArn(stack, 'Mine', `arn:aws:sqs:${region}:123456789012:mine`);
    const schedules = [{ schedule: nightly, via: 'rule' }] as const;
    const byRule = (stack: Stack, region: string) => () =>
      attached(stack, { deadLetterQueue: queueOf(stack, region), schedules });

    expect(byRule(here(), 'eu-west-1')).toThrow(
      new TypeError(
        'dead-letter queue Jobs/Mine is in eu-west-1, and the rules of Jobs/Digest in eu-west-2: a rule only sends to a queue in its own region; pass a queue of eu-west-2',
      ),
    );
    expect(byRule(here(), 'eu-west-2')).not.toThrow();
    expect(byRule(appStack(), 'eu-west-1')).not.toThrow();
  });

  type Asked = readonly [props: Partial<AttachProps>, options?: FunctionOptions];
  const queue = (stack: Stack) => new Queue(stack, 'Mine');

  test.each<[string, (stack: Stack) => Asked, string]>([
    [
      'two queues',
      (stack) => [{ deadLetterQueue: queue(stack), onFailure: new SqsDestination(new Queue(stack, 'Other')) }],
      'deadLetterQueue and onFailure are two queues: pass one of them, which then has both kinds',
    ],
    [
      'deadLetterQueue beside the queue of the function',
      (stack) => [{ deadLetterQueue: queue(stack) }, { deadLetterQueueEnabled: true }],
      'Jobs/Digest has a dead-letter queue: leave out deadLetterQueue, or make the function without one',
    ],
    [
      'onFailure beside the queue of the function',
      (stack) => [{ onFailure: new SqsDestination(queue(stack)) }, { deadLetterQueueEnabled: true }],
      'Jobs/Digest has a dead-letter queue: leave out onFailure, or make the function without one',
    ],
    [
      'a topic of the function',
      (stack) => [{}, { deadLetterTopic: new Topic(stack, 'Mine') }],
      'Jobs/Digest has a deadLetterTopic, which schedules cannot use: leave it out, and set onFailure: new SnsDestination(topic) here',
    ],
    [
      'retries that the function has already',
      () => [{}, { retryAttempts: 1 }],
      'Jobs/Digest has retries or destinations of its own: set retryAttempts, maxEventAge, onFailure and onSuccess here instead',
    ],
    [
      'a FIFO queue',
      (stack) => [{ deadLetterQueue: new Queue(stack, 'Mine', { fifo: true }) }],
      'Jobs/Mine is a FIFO queue: dead letters need a standard queue',
    ],
  ])('%s', (_, askedIn, message) => {
    const stack = appStack();

    expect(() => attached(stack, ...askedIn(stack))).toThrow(message);
  });
});

test('what else is said of retries is kept', () => {
  const stack = appStack();
  const onSuccess = new SnsDestination(new Topic(stack, 'Done'));
  attached(stack, { retryAttempts: 1, onSuccess });

  templateOf(stack).hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    MaximumRetryAttempts: 1,
    MaximumEventAgeInSeconds: 21_600,
    DestinationConfig: { OnSuccess: { Destination: { Ref: Match.stringLikeRegexp('^Done') } } },
  });
});
