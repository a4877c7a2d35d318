import { CfnParameter, Duration } from 'aws-cdk-lib';
import { Role } from 'aws-cdk-lib/aws-iam';
import { type CfnFunction, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, test } from 'vitest';
import { functionBehind, functionResource, refuseNoRole, timeoutOf } from '../../infra/constructs/attached-function.js';
import { ownFunction } from './digest.js';
import { appStack } from './synthesised.js';

const mine = (timeout?: Duration) => ownFunction(appStack(), 'Mine', timeout && { timeout });

const imported = (): IFunction =>
  LambdaFunction.fromFunctionArn(appStack(), 'Mine', 'arn:aws:lambda:eu-west-1:123456789012:function:digest');

describe('the function behind', () => {
  const fn = mine();

  test.each<[string, unknown]>([
    ['a function is itself', fn],
    ['an alias is its function', fn.addAlias('live')],
    ['a version is its function', fn.currentVersion],
    ['the latest version is its function', fn.latestVersion],
  ])('%s, and has its resource', (_, its) => {
    expect(functionBehind(its as IFunction)).toBe(fn);
    expect(functionResource(its as IFunction)).toBe(fn.node.defaultChild);
  });

  test('an imported function has no resource', () => {
    expect(functionResource(imported())).toBeUndefined();
  });
});

describe('the timeout', () => {
  const secondsOf = (fn: IFunction, given?: Duration) => timeoutOf(fn, given).toSeconds();

  test.each<[string, () => IFunction, Duration | undefined, number]>([
    ['of a function is what it has', () => mine(Duration.minutes(5)), undefined, 300],
    ['of a function that sets none is what Lambda takes', () => mine(), undefined, 3],
    ['may be given where it is the same', () => mine(Duration.minutes(5)), Duration.seconds(300), 300],
    ['of an imported function is what is given', imported, Duration.minutes(5), 300],
  ])('%s', (_, fn, given, seconds) => {
    expect(secondsOf(fn(), given)).toBe(seconds);
  });

  test('is the one that is deployed, whoever set it', () => {
    const fn = mine(Duration.minutes(5));
    (fn.node.defaultChild as CfnFunction).timeout = 600;

    expect(secondsOf(fn)).toBe(600);
  });

  test.each<[string, () => IFunction]>([
    ['of an imported function', imported],
    [
      'that a deployment chooses',
      () => {
        const fn = mine();
        (fn.node.defaultChild as CfnFunction).timeout = new CfnParameter(fn.stack, 'P', {
          type: 'Number',
        }).valueAsNumber;
        return fn;
      },
    ],
  ])('%s must be given', (_, fn) => {
    expect(() => secondsOf(fn())).toThrow(
      new TypeError('the timeout of Jobs/Mine is not known here: pass it as timeout'),
    );
    expect(secondsOf(fn(), Duration.minutes(1))).toBe(60);
  });

  test('cannot be another than the function has', () => {
    expect(() => secondsOf(mine(Duration.minutes(5)), Duration.minutes(1))).toThrow(
      new TypeError(
        "timeout is 1 minute, and Jobs/Mine has one of 5 minutes: leave timeout out, or change the function's",
      ),
    );
  });
});

test('a function that was imported without its role is refused, and one with it is not', () => {
  const stack = appStack();
  const functionArn = 'arn:aws:lambda:eu-west-1:123456789012:function:digest';
  const role = Role.fromRoleArn(stack, 'Role', 'arn:aws:iam::123456789012:role/digest');

  expect(() => refuseNoRole(imported())).toThrow(
    new TypeError(
      'Jobs/Mine was imported without its role, which needs rights: import it with fromFunctionAttributes and its role',
    ),
  );
  expect(() => refuseNoRole(LambdaFunction.fromFunctionAttributes(stack, 'Mine', { functionArn, role }))).not.toThrow();
});
