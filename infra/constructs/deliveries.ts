import { Stack } from 'aws-cdk-lib';
import { Grant, type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IDependable } from 'constructs';
import { refuseForeignRole } from './attached-function.js';
import { refuseForRules } from './dead-letter-place.js';
import { grantKeyUse } from './key-rights.js';
import { warnIfMissing, warnToAdd } from './missing-rights.js';

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

/**
 * Allows a role to invoke this function, to send to the queue, and to use the queue's key.
 *
 * @throws TypeError for a role of another account
 */
export function allowScheduler(grantee: IRole, { fn, deadLetterQueue }: Deliverable): Grant {
  refuseForeignRole(fn, grantee);
  const { encryptionMasterKey: key, queueArn } = deadLetterQueue;
  const invoke = Grant.addToPrincipal({ grantee, actions: ['lambda:InvokeFunction'], resourceArns: [fn.functionArn] });
  const send = Grant.addToPrincipal({ grantee, actions: ['sqs:SendMessage'], resourceArns: [queueArn] });
  const encrypt = key ? [grantKeyUse(fn, key, grantee)] : [];
  return [send, ...encrypt].reduce(
    (all, grant) => all.combine(warnIfMissing(fn, grantee, grant)),
    warnIfMissing(fn, grantee, invoke),
  );
}

/**
 * Allows rules of EventBridge to invoke the function, to send to the queue, and to use the queue's key.
 *
 * @returns the policy of the queue; undefined if this app cannot change it
 * @throws TypeError for a queue that rules cannot send to
 */
export function allowRules(
  scope: Construct,
  ruleArns: readonly string[],
  { fn, deadLetterQueue }: Deliverable,
): IDependable | undefined {
  refuseForRules(fn, deadLetterQueue);
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
  const { encryptionMasterKey: key, queueArn } = deadLetterQueue;
  if (key) grantKeyUse(fn, key, grantee);
  const [actions, resources] = [['sqs:SendMessage'], [queueArn]];
  const statement = new PolicyStatement({ principals: [grantee], actions, resources });
  const { statementAdded, policyDependable } = deadLetterQueue.addToResourcePolicy(statement);
  if (!statementAdded) warnToAdd(fn, `queue ${deadLetterQueue.node.path}`, statement);
  return policyDependable;
}
