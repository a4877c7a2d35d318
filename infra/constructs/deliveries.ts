import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { Grant, type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/*
 * The permissions to deliver ticks to a function, and to send ticks that were given up to its queue. Each policy has
 * one statement for all schedules or rules of a function. With one statement for each schedule or rule, seven groups
 * would exceed IAM's 2,048 characters of a trust policy, and twenty rules the 20 statements of a queue's policy. A role
 * for one group names that group. A role for several groups names the account and every group of its region. A queue's
 * policy for rules names the account and every rule of its region.
 */

/** A function, and the queue for ticks that were given up. */
export interface Deliverable {
  readonly fn: IFunction;
  readonly deadLetterQueue: IQueue;
}

/** Makes the role with which Scheduler delivers the ticks of the schedules of these groups. */
export function schedulerRole(scope: Construct, groupArns: readonly string[]): Role {
  const { account } = Stack.of(scope);
  const [only, ...others] = new Set(groupArns);
  const every = Stack.of(scope).formatArn({ service: 'scheduler', resource: 'schedule-group', resourceName: '*' });
  const conditions =
    only !== undefined && others.length === 0
      ? { StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': only } }
      : { StringEquals: { 'aws:SourceAccount': account }, ArnLike: { 'aws:SourceArn': every } };
  return new Role(scope, 'SchedulerRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', { conditions }),
  });
}

/** Allows a role to invoke this function, to send to the queue, and to use the queue's key. */
export function allowScheduler(grantee: IRole, { fn, deadLetterQueue }: Deliverable): Grant {
  const invoke = Grant.addToPrincipal({ grantee, actions: ['lambda:InvokeFunction'], resourceArns: [fn.functionArn] });
  const send = Grant.addToPrincipal({
    grantee,
    actions: ['sqs:SendMessage'],
    resourceArns: [deadLetterQueue.queueArn],
  });
  deadLetterQueue.encryptionMasterKey?.grantEncryptDecrypt(grantee);
  return invoke.combine(send);
}

/**
 * Allows rules of EventBridge to invoke the function, to send to the queue, and to use the queue's key.
 *
 * @throws TypeError for a queue in another region, to which rules cannot send
 */
export function allowRules(scope: Construct, ruleArns: readonly string[], { fn, deadLetterQueue }: Deliverable): Grant {
  const { region } = Stack.of(scope);
  if (Token.compareStrings(deadLetterQueue.env.region, region) === TokenComparison.DIFFERENT) {
    throw new TypeError(
      `dead-letter queue ${deadLetterQueue.node.path} is in ${deadLetterQueue.env.region}, and the rules of ${fn.node.path} in ${region}: a rule sends to a queue of its own region alone; give a queue of ${region}`,
    );
  }
  const [only, ...others] = ruleArns;
  const every = Stack.of(scope).formatArn({ service: 'events', resource: 'rule', resourceName: '*' });
  const sourceArn = only !== undefined && others.length === 0 ? only : every;
  // Name every rule, not only the rules of this function: functions that share a queue then share its statement, and
  // the policy of a key does not have to wait for a rule.
  const grantee = new ServicePrincipal('events.amazonaws.com', {
    conditions: {
      StringEquals: { 'aws:SourceAccount': Stack.of(scope).account },
      ArnLike: { 'aws:SourceArn': every },
    },
  });
  fn.addPermission('InvokedByRules', { scope, principal: new ServicePrincipal('events.amazonaws.com'), sourceArn });
  deadLetterQueue.encryptionMasterKey?.grantEncryptDecrypt(grantee);
  return Grant.addToPrincipalOrResource({
    grantee,
    actions: ['sqs:SendMessage'],
    resourceArns: [deadLetterQueue.queueArn],
    resource: deadLetterQueue,
  });
}
