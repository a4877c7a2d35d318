import { CfnResource, Duration, Token } from 'aws-cdk-lib';
import { UnknownPrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';

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
    throw new TypeError(`the timeout of ${fn.node.path} is not known here: say with timeout what it is`);
  }
  const own = Duration.seconds(seconds);
  if (given && given.toMilliseconds() !== own.toMilliseconds()) {
    throw new TypeError(
      `timeout is ${given.toHumanString()}, and ${fn.node.path} has one of ${own.toHumanString()}: leave timeout out, or change the function's`,
    );
  }
  return own;
}

/** Returns the name of the log group that is set on a function, else of the log group that Lambda makes. */
export function logGroupNameOf(fn: IFunction): string {
  const { logGroup } = (functionResource(fn)?.loggingConfig ?? {}) as CfnFunction.LoggingConfigProperty;
  return logGroup ?? `/aws/lambda/${functionBehind(fn).functionName}`;
}

/** @throws TypeError for a function that was imported without its role: the role could not get the rights it needs */
export function refuseNoRole({ grantPrincipal, node }: IFunction): void {
  if (!(grantPrincipal instanceof UnknownPrincipal)) return;
  throw new TypeError(
    `${node.path} was imported without its role, which needs rights: import it by fromFunctionAttributes, with its role`,
  );
}
