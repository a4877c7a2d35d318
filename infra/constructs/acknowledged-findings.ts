import type { IConstruct } from 'constructs';

/**
 * The metadata key under which cdk-nag 3 finds acknowledgements. The oldest supported CDK does not have `Validations`,
 * which would write it.
 */
const ACKNOWLEDGED = 'aws:cdk:acknowledged-rules';

const ENDS_HERE = 'This queue is where dead letters end';

/** Acknowledges the findings of cdk-nag in a dead-letter queue that the constructs make. */
export function acknowledgeQueue(queue: IConstruct): void {
  acknowledge(queue, {
    'AwsSolutions::AwsSolutions-SQS3': ENDS_HERE,
    'Serverless::Serverless-SQSRedrivePolicy': ENDS_HERE,
  });
}

/** Acknowledges the finding of cdk-nag in a function whose failed events go to a queue as a destination. */
export function acknowledgeDestination(fn: IConstruct): void {
  acknowledge(fn, {
    'Serverless::Serverless-LambdaDLQ':
      'Failed events go to a queue as a destination on failure, which also has the reason',
  });
}

/** Acknowledges the finding of cdk-nag in a function that is made without traces. */
export function acknowledgeNoTraces(fn: IConstruct): void {
  acknowledge(fn, {
    'Serverless::Serverless-LambdaTracing':
      'Runs of a schedule are few, and each is found in the log by its tick; set tracing: Tracing.ACTIVE for traces',
  });
}

function acknowledge(construct: IConstruct, findings: Readonly<Record<string, string>>): void {
  for (const [id, reason] of Object.entries(findings)) construct.node.addMetadata(ACKNOWLEDGED, { [id]: reason });
}
