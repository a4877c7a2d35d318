import { Validations } from 'aws-cdk-lib';
import type { SingleExecutionStack } from './single-execution-stack.js';

/** Acknowledges the finding of cdk-nag that stays in what the app makes itself; the constructs do the same for theirs. */
export function acknowledgeFindings(stack: SingleExecutionStack): void {
  Validations.of(stack.alarmTopic).acknowledge({
    id: 'Serverless::Serverless-SNSRedrivePolicy',
    reason: 'Its subscriber is a mailbox; an alarm that could not be mailed still shows on the dashboard',
  });
}
