import { CfnResource, Lazy, Stack, Token } from 'aws-cdk-lib';
import type { CfnRole, IRole } from 'aws-cdk-lib/aws-iam';

const POLICIES = ':iam::aws:policy/service-role/';

/**
 * The policies that CDK gives to functions, with a narrower policy for each; undefined removes the policy. Both of
 * CDK's policies allow a function to write to all logs of the account.
 */
const NARROWER: Readonly<Record<string, string | undefined>> = {
  AWSLambdaBasicExecutionRole: undefined,
  AWSLambdaVPCAccessExecutionRole: 'AWSLambdaENIManagementAccess',
};

/**
 * Removes the right to write to every log group of the account from the role that CDK made for a function. In a VPC the
 * role keeps the right to have network interfaces. Policies that are added to the role, even later, stay.
 */
export function narrowFunctionRole(role: IRole | undefined): void {
  const resource = role?.node.defaultChild;
  // There is no resource if an app makes its roles elsewhere, with Role.customizeRoles.
  if (!resource || !CfnResource.isCfnResource(resource)) return;
  const given = (resource as CfnRole).managedPolicyArns;
  const narrowed = Lazy.any(
    { produce: () => (Stack.of(resource).resolve(given) as unknown[]).flatMap(narrower) },
    { omitEmptyArray: true },
  );
  (resource as CfnRole).managedPolicyArns = Token.asList(narrowed);
}

/**
 * Replaces the ARN of a policy by the ARN of the narrower policy. CDK resolves an ARN with the account's partition: to
 * a text, or to a join of texts.
 */
function narrower(arn: unknown): unknown[] {
  const text = JSON.stringify(arn);
  for (const [name, other] of Object.entries(NARROWER)) {
    if (text.includes(`${POLICIES}${name}"`)) {
      return other === undefined ? [] : [JSON.parse(text.replace(`${POLICIES}${name}"`, `${POLICIES}${other}"`))];
    }
  }
  return [arn];
}
