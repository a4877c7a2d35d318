import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { differ } from './missing-rights.js';
import type { TableResource } from './table-resource.js';

/**
 * Refuses a table in another region or account than the function's, if both are known. A handler gets only the name of
 * the table, and DynamoDB looks for that name where the handler runs.
 *
 * @throws TypeError with both places and the remedy
 */
export function refuseDistantTable({ env, node }: IFunction, table: TableResource): void {
  if (!table.env) return;
  const { account, region } = table.env;
  if (differ(region, env.region)) {
    throw new TypeError(
      `lock table ${table.node.path} is in ${region}, and function ${node.path} in ${env.region}, where the table's name stands for another table or none: pass the replica, LockTable.fromTable(stack, 'Locks', table.replica('${env.region}')), or a table of ${env.region}`,
    );
  }
  if (differ(account, env.account)) {
    throw new TypeError(
      `lock table ${table.node.path} is of account ${account}, and function ${node.path} of ${env.account}, where the table's name stands for another table or none: pass a table of account ${env.account}`,
    );
  }
}
