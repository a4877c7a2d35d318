import { withSingleExecution } from 'single-execution/azure';
import { anyResults, callsNow, executionLast, type Platform } from '../platform.js';

export const azure: Platform = {
  title: 'a timer of Azure Functions',
  lacks: {
    'untimed is refused': 'only the platform calls a timer',
    'tick of the local clock': 'a timer that is not monitored has a schedule',
    'a time ahead is wrong': 'a call by hand comes before the occurrence that it names',
    background: 'the context takes no work',
  },
  optionNames: 'name, tick, onSkipped, maxDuration',
  options: {},
  limit: 'maxDuration, which is',
  holder: /^function acme, invocation 0f8fad5b$/,
  wrap: (job, options) => withSingleExecution(executionLast(job), options),
  argsOf: ({ time, tenant, secret }) => [
    {
      isPastDue: false,
      secret,
      scheduleStatus: { next: typeof time === 'number' ? new Date(time).toISOString() : time },
    },
    { functionName: tenant, invocationId: '0f8fad5b' },
  ],
  byHand: callsNow,
  tenantOf: (_timer: object, { functionName }: { functionName: string }) => functionName,
  timeOf: ({ scheduleStatus }: { scheduleStatus: { next: string } }) => Date.parse(scheduleStatus.next),
  timeOfOlderTick: 'its own',
  results: anyResults,
};
