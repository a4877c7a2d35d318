import { CfnParameter, Duration } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import { type CfnFunction, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, test } from 'vitest';
import { functionBehind, functionResource, refuseNoRole, timeoutOf } from '../../infra/constructs/attached-function.js';
import { FUNCTION_ARN, ownFunction } from './digest.js';
import { appStack } from './synthesised.js';

const mine = (timeout?: Duration) => ownFunction(appStack(), 'Mine', timeout && { timeout });
const imported = (): IFunction => LambdaFunction.fromFunctionArn(appStack(), 'Mine', FUNCTION_ARN);
const fiveMinutes = Duration.minutes(5);

/** A function whose resource is given this timeout later. */
function changed(timeoutIn: (fn: LambdaFunction) => number): LambdaFunction {
  const fn = mine(fiveMinutes);
  (fn.node.defaultChild as CfnFunction).timeout = timeoutIn(fn);
  return fn;
}
const chosenAtDeployment = () =>
  changed((fn) => new CfnParameter(fn.stack, 'P', { type: 'Number' }).valueAsNumber) as IFunction;

test('an alias or a version stands for its function, and an imported function has no resource', () => {
  const fn = mine();

  for (const its of [fn, fn.addAlias('live'), fn.currentVersion, fn.latestVersion] as IFunction[]) {
    expect(functionBehind(its)).toBe(fn);
    expect(functionResource(its)).toBe(fn.node.defaultChild);
  }
  expect(functionResource(imported())).toBeUndefined();
});

describe('the timeout', () => {
  test.each<[string, () => IFunction, Duration | undefined, number]>([
    ['of a function is what it has', () => mine(fiveMinutes), undefined, 300],
    ['of a function that sets none is what Lambda takes', () => mine(), undefined, 3],
    ['may be given where it is the same', () => mine(fiveMinutes), Duration.seconds(300), 300],
    ['is the one that is deployed, whoever set it', () => changed(() => 600), undefined, 600],
    ['of an imported function is what is given', imported, fiveMinutes, 300],
    ['that a deployment chooses is what is given', chosenAtDeployment, fiveMinutes, 300],
  ])('%s', (_, fn, given, seconds) => {
    expect(timeoutOf(fn(), given).toSeconds()).toBe(seconds);
  });

  const UNKNOWN = 'the timeout of Jobs/Mine is not known here: pass it as timeout';

  test.each<[string, () => IFunction, Duration | undefined, string]>([
    ['of an imported function must be given', imported, undefined, UNKNOWN],
    ['that a deployment chooses must be given', chosenAtDeployment, undefined, UNKNOWN],
    [
      'cannot be another than the function has',
      () => mine(fiveMinutes),
      Duration.minutes(1),
      "timeout is 1 minute, and Jobs/Mine has one of 5 minutes: leave timeout out, or change the function's",
    ],
  ])('%s', (_, fn, given, message) => {
    expect(() => timeoutOf(fn(), given)).toThrow(new TypeError(message));
  });
});

test('a function that was imported without its role is refused, and one with it is not', () => {
  const stack = appStack();
  const role = Role.fromRoleArn(stack, 'Role', 'arn:aws:iam::123456789012:role/digest');
  const withRole = LambdaFunction.fromFunctionAttributes(stack, 'Mine', { functionArn: FUNCTION_ARN, role });

  expect(() => refuseNoRole(imported())).toThrow(
    new TypeError(
      'Jobs/Mine was imported without its role, which needs rights: import it with fromFunctionAttributes and its role',
    ),
  );
  expect(() => refuseNoRole(withRole)).not.toThrow();
});
