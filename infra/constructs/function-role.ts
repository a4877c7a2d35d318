import { CfnResource, Lazy, Stack, Token } from 'aws-cdk-lib';
import type { CfnRole, IRole } from 'aws-cdk-lib/aws-iam';

const POLICIES = ':iam::aws:policy/service-role/';

/** What becomes of the policies that CDK gives to every function: both allow it to write to all logs of the account. */
const NARROWER: Readonly<Record<string, string | undefined>> = {
  AWSLambdaBasicExecutionRole: undefined,
  AWSLambdaVPCAccessExecutionRole: 'AWSLambdaENIManagementAccess',
};

/**
 * Takes from the role that CDK made for a function the right to write to every log group of the account. In a VPC it
 * keeps that to have network interfaces. Policies that are added to the role, even later, stay.
 */
export function narrowFunctionRole(role: IRole | undefined): void {
  const resource = role?.node.defaultChild;
  // Where an app makes its roles elsewhere, by Role.customizeRoles.
  if (!resource || !CfnResource.isCfnResource(resource)) return;
  const given = (resource as CfnRole).managedPolicyArns;
  const narrowed = Lazy.any(
    { produce: () => (Stack.of(resource).resolve(given) as unknown[]).flatMap(narrower) },
    { omitEmptyArray: true },
  );
  (resource as CfnRole).managedPolicyArns = Token.asList(narrowed);
}

/** The ARN of a policy as CDK resolves it, with the account's partition: a text, or a join of texts. */
function narrower(arn: unknown): unknown[] {
  const text = JSON.stringify(arn);
  for (const [name, other] of Object.entries(NARROWER)) {
    if (text.includes(`${POLICIES}${name}"`)) {
      return other === undefined ? [] : [JSON.parse(text.replace(`${POLICIES}${name}"`, `${POLICIES}${other}"`))];
    }
  }
  return [arn];
}
