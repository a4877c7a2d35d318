import { CfnParameter, Fn, Stack } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { FunctionOptions, IDestination } from 'aws-cdk-lib/aws-lambda';
import { EventBridgeDestination, SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { AttachProps } from 'single-execution/cdk';
import { describe, expect, test } from 'vitest';
import { attached, nightly, ownFunction } from './digest.js';
import { appStack, propertiesOf, stackIn, templateOf } from './synthesised.js';

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:mine';

/** What is asked of the construct, and what the function has already. */
type Asked = readonly [props: Partial<AttachProps>, options?: FunctionOptions];
const ask = (stack: Stack, [props, options]: Asked) => attached(ownFunction(stack, 'Digest', options), props);
const queueIn = (stack: Stack) => new Queue(stack, 'Mine');
const sqs = (queue: IQueue) => ({ onFailure: new SqsDestination(queue) });

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
  test.each<[string, (queue: Queue) => Asked]>([
    ['given as deadLetterQueue', (deadLetterQueue) => [{ deadLetterQueue }]],
    ['given as onFailure', (queue) => [sqs(queue)]],
    ['given as both', (deadLetterQueue) => [{ deadLetterQueue, ...sqs(deadLetterQueue) }]],
    ['of the function itself, which Lambda writes to by itself', (deadLetterQueue) => [{}, { deadLetterQueue }]],
  ])('is that %s', (_, of) => {
    const stack = appStack();
    const mine = queueIn(stack);
    const asked = of(mine);
    const { deadLetters } = ask(stack, asked);
    const template = templateOf(stack);
    const arn = stack.resolve(mine.queueArn);
    const byLambda = asked[1] !== undefined;

    expect(deadLetters).toBe(mine);
    expect(destinations(template)).toEqual({
      runs: byLambda ? undefined : arn,
      lambdas: byLambda ? arn : undefined,
      deliveries: arn,
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 2 });
    template.resourceCountIs('AWS::SQS::Queue', 1);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'AWS/SQS',
      Dimensions: [{ Name: 'QueueName', Value: stack.resolve(mine.queueName) }],
    });
  });

  test.each<[string, (stack: Stack) => string]>([
    ['by its ARN', () => ARN],
    ['by its ARN with tokens', (stack) => stack.formatArn({ service: 'sqs', resource: 'mine' })],
    ['from the output of a stack', () => Fn.importValue('mine')],
    ['by a parameter', (stack) => new CfnParameter(stack, 'MineArn', { default: ARN }).valueAsString],
  ])('is that given as onFailure, imported %s', (_, arnIn) => {
    const stack = appStack();
    const mine = Queue.fromQueueArn(stack, 'Mine', arnIn(stack));
    const { deadLetters } = ask(stack, [sqs(mine)]);
    const template = templateOf(stack);
    const arn = stack.resolve(mine.queueArn);

    expect(stack.resolve(deadLetters.queueName)).toEqual(stack.resolve(mine.queueName));
    expect(destinations(template)).toMatchObject({ runs: arn, deliveries: arn });
    template.resourceCountIs('AWS::SQS::Queue', 0);
  });

  test('is that of another stack', () => {
    const stack = appStack();
    const mine = queueIn(new Stack(stack.node.root, 'Queues'));

    expect(ask(stack, [sqs(mine)]).deadLetters).toBe(mine);
    expect(JSON.stringify(destinations(templateOf(stack)).deliveries)).toContain('Queues:ExportsOutput');
  });

  test.each<[string, (queue: Queue) => Asked]>([
    ['deadLetterQueue', (deadLetterQueue) => [{ deadLetterQueue }]],
    ['the queue of the function itself', (deadLetterQueue) => [{}, { deadLetterQueue }]],
  ])('is written to with a key of its own by function and schedule: %s', (_, of) => {
    const stack = appStack();
    ask(stack, of(new Queue(stack, 'Mine', { encryptionMasterKey: new Key(stack, 'Key') })));
    const mayEncrypt = propertiesOf(templateOf(stack), 'AWS::IAM::Policy').filter(({ PolicyDocument }) =>
      PolicyDocument.Statement.some(({ Action }: { Action: string[] }) => Action.includes('kms:Decrypt')),
    );

    expect(mayEncrypt.map(({ Roles }) => Roles[0].Ref).sort()).toEqual([
      expect.stringMatching(/^DigestServiceRole/),
      expect.stringMatching(/^DigestSingleExecutionSchedulerRole/),
    ]);
  });
});

test.each<[string, boolean, (stack: Stack) => IDestination]>([
  ['a topic', false, (stack) => new SnsDestination(new Topic(stack, 'Mine'))],
  ['an event bus', false, () => new EventBridgeDestination()],
  ['a topic, beside a queue that is given', true, (stack) => new SnsDestination(new Topic(stack, 'Mine'))],
])('an onFailure that is no queue has the runs, and a queue has deliveries alone: %s', (_, isGiven, of) => {
  const stack = appStack();
  ask(stack, [{ onFailure: of(stack), ...(isGiven && { deadLetterQueue: new Queue(stack, 'Given') }) }]);
  const template = templateOf(stack);
  const { runs, deliveries } = destinations(template);
  const [queue] = Object.keys(template.findResources('AWS::SQS::Queue'));

  expect(JSON.stringify(runs)).toMatch(/Mine|event-bus/);
  expect(deliveries).toEqual({ 'Fn::GetAtt': [queue, 'Arn'] });
  expect(queue).toMatch(isGiven ? /^Given/ : /^DigestSingleExecution/);
  template.resourceCountIs('AWS::SQS::Queue', 1);
});

describe('refuses', () => {
  test('a queue of another region for a rule, which sends to its own region alone', () => {
    const byRule = (stack: Stack, region: string) => () => {
      const deadLetterQueue = Queue.fromQueueArn(stack, 'Mine', ARN.replace('eu-west-1', region));
      ask(stack, [{ deadLetterQueue, schedules: [{ schedule: nightly, via: 'rule' }] }]);
    };

    expect(byRule(stackIn('eu-west-2'), 'eu-west-1')).toThrow(
      new TypeError(
        'dead-letter queue Jobs/Mine is in eu-west-1, and the rules of Jobs/Digest in eu-west-2: a rule only sends to a queue in its own region; pass a queue of eu-west-2',
      ),
    );
    expect(byRule(stackIn('eu-west-2'), 'eu-west-2')).not.toThrow();
    expect(byRule(appStack(), 'eu-west-1')).not.toThrow();
  });

  test.each<[string, (stack: Stack) => Asked, string]>([
    [
      'two queues',
      (stack) => [{ deadLetterQueue: queueIn(stack), ...sqs(new Queue(stack, 'Other')) }],
      'deadLetterQueue and onFailure are two queues: pass one of them, which then has both kinds',
    ],
    [
      'deadLetterQueue beside the queue of the function',
      (stack) => [{ deadLetterQueue: queueIn(stack) }, { deadLetterQueueEnabled: true }],
      'Jobs/Digest has a dead-letter queue: leave out deadLetterQueue, or make the function without one',
    ],
    [
      'onFailure beside the queue of the function',
      (stack) => [sqs(queueIn(stack)), { deadLetterQueueEnabled: true }],
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

    expect(() => ask(stack, askedIn(stack))).toThrow(message);
  });
});

test('what else is said of retries is kept', () => {
  const stack = appStack();
  ask(stack, [{ retryAttempts: 1, onSuccess: new SnsDestination(new Topic(stack, 'Done')) }]);

  templateOf(stack).hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
    MaximumRetryAttempts: 1,
    MaximumEventAgeInSeconds: 21_600,
    DestinationConfig: { OnSuccess: { Destination: { Ref: Match.stringLikeRegexp('^Done') } } },
  });
});
