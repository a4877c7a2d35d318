/*
 * One host of the evening: a process that loads the function once, then runs one invocation at a time, as Lambda does.
 * It reads deliveries from stdin, and writes a line of JSON when its work begins, when it is done, and for each reply.
 */
import { Console } from 'node:console';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { withSingleExecution } from 'single-execution';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import { storesOf } from './stores.js';

// The library logs to the console; stdout is for the lines that the evening reads.
globalThis.console = new Console(process.stderr);
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const { engine, name } = JSON.parse(process.argv[2] ?? '');

/** What the work of the next run is like. */
let work = { ms: 0, fails: false };

const handler = withSingleExecution(
  async ({ time }: { time: string }, _context, { fencingToken: token }) => {
    say({ said: 'began', atMs: Date.now(), tick: time, token });
    await sleep(work.ms);
    if (work.fails) throw new Error('the mail server refuses');
    say({ said: 'done', atMs: Date.now(), tick: time });
  },
  { name, store: storesOf(engine).store, observers: [] },
);

say({ said: 'ready' });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, time, remainingMs, ...rest } = JSON.parse(line);
  work = rest;
  const context = lambdaContext({ functionName: name, awsRequestId: `request-${time}`, remainingMs });
  try {
    const outcome = (await handler(scheduledEvent({ time }), context)) as undefined | { reason: string };
    say({ said: 'replied', id, ending: outcome ? `skipped: ${outcome.reason}` : 'ran' });
  } catch {
    say({ said: 'replied', id, ending: 'failed' });
  }
}
