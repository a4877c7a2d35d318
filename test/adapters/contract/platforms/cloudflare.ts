import { withSingleExecution } from 'single-execution/cloudflare';
import { anyResults, callsNow, executionLast, type Platform } from '../platform.js';

export const cloudflare: Platform = {
  title: 'a Worker',
  lacks: {
    'untimed is refused': 'only the platform calls a scheduled handler',
    'tick of the local clock': 'every cron trigger has its time',
    'store as a value': 'the store may be made from the bindings of an event',
  },
  optionNames: 'name, tick, onSkipped, maxDuration',
  options: {},
  limit: 'maxDuration, which is',
  holder: /^worker, cron acme$/,
  wrap: (job, options) => withSingleExecution(executionLast(job), options),
  argsOf: ({ time, tenant, secret, waitUntil }) => [
    { scheduledTime: time, cron: tenant, noRetry() {} },
    { TOKEN: secret },
    { ...(waitUntil && { waitUntil }), passThroughOnException() {} },
  ],
  byHand: callsNow,
  tenantOf: ({ cron }: { cron: string }) => cron,
  timeOf: ({ scheduledTime }: { scheduledTime: number }) => scheduledTime,
  timeOfOlderTick: 'its own',
  results: anyResults,
};
