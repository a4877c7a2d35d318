import { fileURLToPath } from 'node:url';
import type { Stack } from 'aws-cdk-lib';
import { Code, type FunctionProps, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import {
  type AttachProps,
  LockTable,
  SingleExecution,
  SingleExecutionFunction,
  type SingleExecutionFunctionProps,
} from 'single-execution/cdk';
import { appStack } from './synthesised.js';

const HANDLER: string = fileURLToPath(new URL('../../handlers/nightly-report.ts', import.meta.url));
export const nightly: ScheduleExpression = ScheduleExpression.cron({ minute: '0', hour: '2' });
export const FUNCTION_ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:digest';

export function ownFunction(stack: Stack, id = 'Digest', options: Partial<FunctionProps> = {}): LambdaFunction {
  return new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {};'),
    ...options,
  });
}

/** The lock `digest` every night, in the one lock table of the stack. */
const defaultsIn = (stack: Stack, { lockTable }: Partial<AttachProps>) => ({
  lockTable: lockTable ?? (stack.node.tryFindChild('Locks') as LockTable | undefined) ?? new LockTable(stack, 'Locks'),
  lockNames: ['digest'],
  schedules: [{ schedule: nightly }],
});

/** A function that takes the lock `digest` every night, unless `props` say otherwise. */
export function digest(
  props: Partial<SingleExecutionFunctionProps> = {},
  stack: Stack = appStack(),
  id = 'Digest',
): SingleExecutionFunction {
  return new SingleExecutionFunction(stack, id, { entry: HANDLER, ...defaultsIn(stack, props), ...props });
}

/** Attaches the same to a function, an alias or a version. */
export function attached(
  fn: Parameters<typeof SingleExecution.attach>[0],
  props: Partial<AttachProps> = {},
): SingleExecution {
  return SingleExecution.attach(fn, { ...defaultsIn(fn.stack, props), ...props });
}
