import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { SeenRequest } from '../support/fault-proxy.js';
import type { AwsRequest } from './iam-policy.js';

interface Delivery {
  readonly scheduledTime: string;
  readonly scheduleArn: string;
  /** @default 1 */
  readonly attempt?: number;
}

/** The event that Scheduler sends: the input of a schedule, with the values of its context attributes. */
export function delivered(input: string, { scheduledTime, scheduleArn, attempt = 1 }: Delivery) {
  const filled = input
    .replaceAll('<aws.scheduler.scheduled-time>', scheduledTime)
    .replaceAll('<aws.scheduler.schedule-arn>', scheduleArn)
    .replaceAll('<aws.scheduler.execution-id>', randomUUID())
    .replaceAll('<aws.scheduler.attempt-number>', String(attempt));
  expect(filled).not.toContain('<aws.');
  return JSON.parse(filled);
}

/** The action on a resource for which a request to a lock table needs a right. */
export function asked({ operation, body }: SeenRequest, arnOf: (table: string) => string): AwsRequest {
  const { lockName } = (body['Key'] ?? {}) as { readonly lockName?: { readonly S: string } };
  return {
    action: `dynamodb:${operation}`,
    resource: arnOf(String(body['TableName'])),
    context: lockName ? { 'dynamodb:LeadingKeys': [lockName.S] } : {},
  };
}
