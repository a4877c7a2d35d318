import middy from '@middy/core';
import type { Context, Execution } from 'single-execution';
import { singleExecution } from 'single-execution/middy';
import type { Called, Platform } from '../platform.js';
import { lambda } from './lambda.js';

/** The platform of a version of Middy. */
export const platformOf = (version: typeof middy): Platform => ({
  ...lambda,
  title: 'Middy',
  lacks: {
    ...lambda.lacks,
    'own call': 'Middy calls the handler, between the hooks of the middleware',
    'catch-up': 'Middy calls the handler once',
  },
  wrap(job, options) {
    const handler = (event: unknown, context: Context & { readonly execution: Execution }) =>
      job({ self: undefined, args: [event, context], execution: context.execution });
    // Turn off Middy's early timeout: it uses the host's clock, not the test's.
    return version(handler as never, { timeoutEarlyInMillis: 0 }).use(singleExecution(options)) as Called;
  },
});

export const middyHandler = platformOf(middy);
