import { withSingleExecution } from 'single-execution';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import { anyResults, executionLast, type Platform } from '../platform.js';

export const lambda: Platform = {
  title: 'Lambda',
  lacks: {
    background: 'Lambda freezes the function when its handler has returned',
    'untimed is refused': 'a function is also invoked by hand',
    'tick of the local clock': 'events of EventBridge carry their time',
    'lease by an option': 'the context reports the remaining time',
  },
  optionNames: 'name, tick, onSkipped',
  options: {},
  limit: "the function's remaining",
  holder: /^send-digest \$LATEST eu-west-1 [\da-f-]{36}$/,
  wrap: (job, options) => withSingleExecution(executionLast(job) as () => Promise<unknown>, options),
  argsOf: ({ time, tenant, secret, remainingMs }) => [
    {
      ...scheduledEvent(),
      time: typeof time === 'number' ? new Date(time).toISOString() : time,
      tenant,
      detail: { secret },
    },
    lambdaContext({ getRemainingTimeInMillis: remainingMs }),
  ],
  byHand: (call) => (event, context) => call({ ...event, singleExecution: 'now' }, context),
  tenantOf: ({ tenant }: { tenant: string }) => tenant,
  timeOf: ({ time }: { time: string }) => Date.parse(time),
  timeOfOlderTick: 'its own',
  results: anyResults,
};
