import { Annotations, Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { Grant, type IGrantable, type IPrincipal, type PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Construct, Dependable, type IConstruct } from 'constructs';

/*
 * CDK reports a right as given if the role is imported with `mutable: false` or is of another account, although no
 * policy holds the right. A right that only the policy of an imported resource could give is not reported at all. The
 * constructs warn of both, with the statement to add.
 */

/** Returns whether a policy of this app holds the right, or the principal is one that only CDK can judge. */
export function isHeld({ grantPrincipal }: IGrantable, grant: Grant): boolean {
  if (!grant.success) return false;
  // A role of the app chooses the policy of a statement when it is synthesised.
  if (!Construct.isConstruct(grantPrincipal) || Role.isRole(grantPrincipal)) return true;
  return grant.resourceStatements.length > 0 || Dependable.of(grant).dependencyRoots.length > 0;
}

/**
 * Returns a grant to a principal. If no policy of this app holds the right, warns with the statements to add, and
 * returns a grant that failed.
 */
export function warnIfMissing(scope: IConstruct, grantee: IGrantable, grant: Grant): Grant {
  const { grantPrincipal } = grantee;
  // CDK itself warns of a principal that is not known.
  if (isHeld(grantee, grant) || grant.principalStatements.length === 0 || isUnknown(grantPrincipal)) return grant;
  for (const statement of grant.principalStatements) warnToAdd(scope, ownerOf(grantee), statement);
  return Grant.drop(grantee, 'no policy of this app holds the right');
}

/** Warns of a statement that this app cannot add to a policy. */
export function warnToAdd(scope: IConstruct, policyOf: string, statement: PolicyStatement): void {
  const text = JSON.stringify(Stack.of(scope).resolve(statement.toStatementJson()));
  Annotations.of(scope).addWarningV2(
    'single-execution:missing-right',
    `the policy of ${policyOf} cannot be changed here, and a right is missing: add ${text} to it`,
  );
}

/** Returns the name of a grantee for a warning. */
export function ownerOf({ grantPrincipal }: IGrantable): string {
  return Construct.isConstruct(grantPrincipal) ? grantPrincipal.node.path : String(grantPrincipal);
}

/**
 * Returns whether a principal is that of a resource imported without its role. Only the policy fragment shows it: an
 * `instanceof` fails if an app loads two copies of CDK.
 */
export function isUnknown(principal: IPrincipal): boolean {
  try {
    return principal.policyFragment === undefined;
  } catch {
    return true;
  }
}

/** Returns whether two accounts or regions are both known, and differ. */
export function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && Token.compareStrings(one, other) === TokenComparison.DIFFERENT;
}
