import { Annotations, Stack } from 'aws-cdk-lib';
import { AccountPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { importedAlias } from './key-rights.js';
import { differ, warnToAdd } from './missing-rights.js';

/** Warns of a dead-letter queue in another region or account than the function's. */
export function warnOfDistantQueue(fn: IFunction, { env, node, queueArn }: IQueue): void {
  const { account, region } = Stack.of(fn);
  if (differ(env.region, region)) {
    Annotations.of(fn).addWarningV2(
      'single-execution:distant-queue',
      `dead-letter queue ${node.path} is in ${env.region}, and ${fn.node.path} in ${region}: AWS documents no delivery of dead letters to another region; pass a queue of ${region}`,
    );
  }
  if (differ(env.account, account)) {
    const principals = [new AccountPrincipal(account)];
    const statement = new PolicyStatement({ principals, actions: ['sqs:SendMessage'], resources: [queueArn] });
    warnToAdd(fn, `queue ${node.path}`, statement);
  }
}

/**
 * Refuses a queue that rules cannot send to.
 *
 * @throws TypeError for a queue in another region, and for the key that AWS manages, which no service may use
 */
export function refuseForRules(fn: IFunction, queue: IQueue): void {
  const { region } = Stack.of(fn);
  const { env, node, encryptionType, encryptionMasterKey: key } = queue;
  if (differ(env.region, region)) {
    throw new TypeError(
      `dead-letter queue ${node.path} is in ${env.region}, and the rules of ${fn.node.path} in ${region}: a rule only sends to a queue in its own region; pass a queue of ${region}`,
    );
  }
  if (encryptionType === 'KMS_MANAGED' || (key && importedAlias(key) === 'alias/aws/sqs')) {
    throw new TypeError(
      `dead-letter queue ${node.path} is encrypted with alias/aws/sqs, a key that rules may not use: leave out via: 'rule', or pass a queue with QueueEncryption.SQS_MANAGED or a key of your own`,
    );
  }
}
