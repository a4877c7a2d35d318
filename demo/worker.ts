import { lambdaContext } from 'single-execution/testing';
import { type Call, isCall, type Reply } from './call.js';

/*
 * One execution environment: loads the functions once, then runs one invocation at a time, as Lambda does. Ends with
 * its parent.
 */

const handlers = {
  'nightly-report': (await import('../handlers/nightly-report.js')).handler,
  'tenant-sync': (await import('../handlers/tenant-sync.js')).handler,
};

async function invoke({ id, handler, event, requestId, remainingMs }: Call): Promise<Reply> {
  const context = lambdaContext({ functionName: handler, awsRequestId: requestId, remainingMs });
  try {
    const value: unknown = await handlers[handler](event as never, context);
    return { id, value };
  } catch (thrown) {
    const { name, message } = thrown instanceof Error ? thrown : { name: typeof thrown, message: String(thrown) };
    return { id, thrown: { name, message } };
  }
}

process.on('disconnect', () => process.exit());
// Ctrl-C reaches the whole family; the parent decides.
process.on('SIGINT', () => undefined);
process.on('message', async (message) => {
  if (isCall(message)) process.send?.(await invoke(message));
});
process.send?.('ready');
