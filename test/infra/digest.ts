import { fileURLToPath } from 'node:url';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import { LockTable, SingleExecutionFunction, type SingleExecutionFunctionProps } from 'single-execution/cdk';
import { appStack } from '../support/synthesised.js';

export const HANDLER: string = fileURLToPath(new URL('../../handlers/nightly-report.ts', import.meta.url));
export const nightly: ScheduleExpression = ScheduleExpression.cron({ minute: '0', hour: '2' });

/** A function that takes lock `digest` every night, but for what a test says otherwise. */
export function digest(props: Partial<SingleExecutionFunctionProps> = {}, stack = appStack()): SingleExecutionFunction {
  return new SingleExecutionFunction(stack, 'Digest', {
    entry: HANDLER,
    lockTable: props.lockTable ?? new LockTable(stack, 'Locks'),
    lockNames: ['digest'],
    schedules: [{ schedule: nightly }],
    ...props,
  });
}
