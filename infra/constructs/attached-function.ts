import { CfnResource, Duration, Stack, Token } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { differ, isUnknown } from './missing-rights.js';

/** The timeout that Lambda gives to a function that sets none. */
const LAMBDA_TIMEOUT = Duration.seconds(3);

/** Returns the function behind an alias or a version. Returns any other function as it is. */
export function functionBehind(fn: IFunction): IFunction {
  return 'lambda' in fn ? (fn.lambda as IFunction) : fn;
}

/**
 * Finds the resource of a function, or of the function behind an alias or a version; undefined for an imported
 * function.
 */
export function functionResource(fn: IFunction): CfnFunction | undefined {
  const resource = functionBehind(fn).node.defaultChild;
  if (!resource || !CfnResource.isCfnResource(resource)) return undefined;
  return resource.cfnResourceType === CfnFunction.CFN_RESOURCE_TYPE_NAME ? (resource as CfnFunction) : undefined;
}

/**
 * Finds the timeout of a function. For an imported function, it is the given timeout.
 *
 * @throws TypeError if the timeout is not known, or if the given timeout differs from the function's
 */
export function timeoutOf(fn: IFunction, given: Duration | undefined): Duration {
  const resource = functionResource(fn);
  const seconds = resource && (resource.timeout ?? LAMBDA_TIMEOUT.toSeconds());
  if (seconds === undefined || Token.isUnresolved(seconds)) {
    if (given) return given;
    throw new TypeError(`the timeout of ${fn.node.path} is not known here: pass it as timeout`);
  }
  const own = Duration.seconds(seconds);
  if (given && given.toMilliseconds() !== own.toMilliseconds()) {
    throw new TypeError(
      `timeout is ${given.toHumanString()}, and ${fn.node.path} has one of ${own.toHumanString()}: leave timeout out, or change the function's`,
    );
  }
  return own;
}

/** Returns the runtime of a function in another language, in which this library cannot run; else undefined. */
export function foreignRuntime(fn: IFunction): string | undefined {
  const { runtime = '' } = functionResource(fn) ?? {};
  return /^(dotnet|go|java|python|ruby)/.test(runtime) ? runtime : undefined;
}

/** Returns the name of the log group that is set on a function, else of the log group that Lambda makes. */
export function logGroupNameOf(fn: IFunction): string {
  const { logGroup } = (functionResource(fn)?.loggingConfig ?? {}) as CfnFunction.LoggingConfigProperty;
  return logGroup ?? `/aws/lambda/${functionBehind(fn).functionName}`;
}

/**
 * Refuses a function that its role cannot serve.
 *
 * @throws TypeError for a function that was imported without its role, which could not get the rights it needs, and for
 *   a role of another account, which Lambda refuses
 */
export function refuseNoRole(fn: IFunction): void {
  const { grantPrincipal, node, role } = fn;
  if (isUnknown(grantPrincipal)) {
    throw new TypeError(
      `${node.path} was imported without its role, which needs rights: import it with fromFunctionAttributes and its role`,
    );
  }
  if (role) refuseForeignRole(fn, role);
}

/** @throws TypeError for a role of another account, which neither Lambda nor Scheduler can assume */
export function refuseForeignRole(fn: IFunction, { node, principalAccount }: IRole): void {
  const { account } = Stack.of(fn);
  if (!differ(principalAccount, account)) return;
  throw new TypeError(
    `role ${node.path} is of account ${principalAccount}, and ${fn.node.path} of ${account}: AWS only takes roles of the same account; pass a role of ${account}`,
  );
}
