import { withSingleExecution } from 'single-execution/process';
import { thisProcess } from '../../../../src/core/values/environment.js';
import { anyResults, callsNow, executionLast, type Platform, type Trigger } from '../platform.js';

/** The argument with which node-cron calls a task, with two more fields. */
const taskContext = ({ time, tenant, secret }: Trigger): object => ({
  date: typeof time === 'number' ? new Date(time) : time,
  triggeredAt: new Date(0),
  ...{ tenant, secret },
});

/** The properties that a wrapped function and a decorated method have in common. */
export const inProcess: Omit<Platform, 'title' | 'wrap'> = {
  lacks: {
    background: 'a process does not end when its job has returned',
    'untimed runs': 'schedulers in a process mostly pass no scheduled time, so the option must say what to do',
  },
  optionNames: 'name, tick, onSkipped, maxDuration',
  options: { tick: 'event' },
  limit: 'maxDuration, which is',
  holder: thisProcess(),
  argsOf: (trigger) => [taskContext(trigger), 'another'],
  byHand: callsNow,
  tenantOf: ({ tenant }: { tenant: string }) => tenant,
  timeOf: ({ date }: { date: Date }) => date.getTime(),
  timeOfOlderTick: 'that of the call',
  results: anyResults,
  noTime: 'TypeError',
};

export const process: Platform = {
  ...inProcess,
  title: 'a job of a process',
  wrap: (job, options) => withSingleExecution(executionLast(job), options),
};
