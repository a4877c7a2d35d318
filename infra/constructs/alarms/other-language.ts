import { Annotations } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { foreignRuntime } from '../attached-function.js';
import type { LockAlarmsOptions } from './alarm-options.js';

/**
 * Leaves out the alarm `didNotRun`, unless it was asked for, of a function in another language. Such a function writes
 * no metrics of runs, so the alarm would stay on.
 */
export function watchable(fn: IFunction, options: LockAlarmsOptions | false): LockAlarmsOptions | false {
  const runtime = foreignRuntime(fn);
  if (runtime === undefined || options === false || options.didNotRun !== undefined) return options;
  Annotations.of(fn).addWarningV2(
    'single-execution:other-language',
    `${fn.node.path} runs on ${runtime}, and only this library on Node.js writes the metric Executed: no alarm reports that a tick was sent and not done; if the function writes that metric itself, set alarms: { didNotRun: {} }`,
  );
  return { ...options, didNotRun: false };
}
