/*
 * One execution environment: loads the functions once, then runs one invocation at a time, as Lambda does. It reads
 * calls from stdin. To stdout it writes a line of JSON for each reply, among the lines of the library's own log.
 */
import { Console } from 'node:console';
import { createInterface } from 'node:readline';
import { lambdaContext } from 'single-execution/testing';
import { handler as nightlyReport } from '../handlers/nightly-report.js';
import { handler as tenantSync } from '../handlers/tenant-sync.js';
import type { Job } from './jobs.js';
import { handler as sendDigest } from './send-digest.js';

globalThis.console = new Console(process.stdout);
const handlers = { 'send-digest': sendDigest, 'nightly-report': nightlyReport, 'tenant-sync': tenantSync };
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

say({ said: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, handler, event, requestId, remainingMs } = JSON.parse(line);
  const context = lambdaContext({ functionName: handler, awsRequestId: requestId, remainingMs });
  try {
    say({ said: 'replied', id, value: await handlers[handler as Job['handler']](event as never, context) });
  } catch (error) {
    say({ said: 'replied', id, error: error instanceof Error ? error.message : String(error) });
  }
}
