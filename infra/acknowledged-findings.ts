import { Validations } from 'aws-cdk-lib';
import type { SingleExecutionStack } from './single-execution-stack.js';

/**
 * Acknowledges a finding of cdk-nag in the app's own topic. The constructs acknowledge the findings in what they make.
 */
export function acknowledgeFindings(stack: SingleExecutionStack): void {
  Validations.of(stack.alarmTopic).acknowledge({
    id: 'Serverless::Serverless-SNSRedrivePolicy',
    reason: 'Its subscriber is a mailbox; an alarm that could not be mailed still shows on the dashboard',
  });
}
