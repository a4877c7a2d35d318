import { type CfnElement, Validations } from 'aws-cdk-lib';
import type { SingleExecutionStack } from './single-execution-stack.js';

/** Acknowledges the findings of cdk-nag that stay, one by one, each with the reason. */
export function acknowledgeFindings(stack: SingleExecutionStack): void {
  Validations.of(stack.alarmTopic).acknowledge({
    id: 'Serverless::Serverless-SNSRedrivePolicy',
    reason: 'Its subscriber is a mailbox; an alarm that could not be mailed still shows on the dashboard',
  });
  for (const fn of stack.functions) {
    Validations.of(fn).acknowledge(
      {
        id: 'Serverless::Serverless-LambdaDLQ',
        reason: 'Failed events go to a queue as a destination on failure, which also tells the reason',
      },
      {
        id: 'Serverless::Serverless-LambdaTracing',
        reason:
          'Runs of a schedule are few, and each is found in the log by its tick; traces would add a cost and no answer',
      },
    );
    Validations.of(fn.deadLetters).acknowledge(
      { id: 'AwsSolutions::AwsSolutions-SQS3', reason: 'This queue is where dead letters end' },
      { id: 'Serverless::Serverless-SQSRedrivePolicy', reason: 'This queue is where dead letters end' },
    );
    Validations.of(stack).acknowledge({
      id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${stack.getLogicalId(fn.node.defaultChild as CfnElement)}.Arn>:*]`,
      reason: "EventBridge Scheduler's role may invoke this one function, in any version",
    });
  }
}
