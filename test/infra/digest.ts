import { fileURLToPath } from 'node:url';
import type { Stack } from 'aws-cdk-lib';
import { Code, type FunctionOptions, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LockTable, SingleExecutionFunction, type SingleExecutionFunctionProps } from 'single-execution/cdk';
import { appStack } from './synthesised.js';

export const HANDLER: string = fileURLToPath(new URL('../../handlers/nightly-report.ts', import.meta.url));
export const nightly: ScheduleExpression = ScheduleExpression.cron({ minute: '0', hour: '2' });

export function ownFunction(stack: Stack, id: string, options: FunctionOptions = {}): LambdaFunction {
  return new LambdaFunction(stack, id, {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline('exports.handler = async () => {};'),
    ...options,
  });
}

/** A function that takes the lock `digest` every night, unless `props` say otherwise. */
export function digest(props: Partial<SingleExecutionFunctionProps> = {}, stack = appStack()): SingleExecutionFunction {
  return new SingleExecutionFunction(stack, 'Digest', {
    entry: HANDLER,
    lockTable: props.lockTable ?? new LockTable(stack, 'Locks'),
    lockNames: ['digest'],
    schedules: [{ schedule: nightly }],
    ...props,
  });
}
