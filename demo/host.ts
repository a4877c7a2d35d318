/*
 * One host of the demo: a process that has the function bare and wrapped. Each line on its stdin invokes the function.
 * It prints a line of JSON when work begins, when work ends, and for each reply.
 */
import { Console } from 'node:console';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { executeWithLock, withSingleExecution } from 'single-execution';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import { order, say } from '../test/support/told.js';
import { type Engine, storeOf } from './stores.js';

/** What a host is told to do: how its run goes, and how much time the platform leaves it. */
export interface Order {
  readonly id: number;
  readonly time: string;
  readonly runMs: number;
  readonly fails: boolean;
  readonly remainingMs: number;
  readonly isBare: boolean;
}

// The library logs to the console. stdout is only for the lines that the demo reads.
globalThis.console = new Console(process.stderr);
const { engine, name } = order<{ readonly engine: Engine; readonly name: string }>();
const store = storeOf(engine);

async function work({ id, runMs, fails }: Order, token?: number): Promise<void> {
  say('began', { id, token, atMs: Date.now() });
  await sleep(runMs);
  say('ended', { id, atMs: Date.now() });
  if (fails) throw new Error('the mail server refuses');
}

const wrapped = withSingleExecution((event: Order, _, { fencingToken }) => work(event, fencingToken), {
  name,
  store,
  observers: [],
});

// Warm up: a first request takes longer than the events that the demo shows.
await executeWithLock(() => undefined, { name: 'warm-up', store, lockAtMostFor: '1m', wait: '20s', observers: [] });
say('ready');

async function take(told: Order): Promise<void> {
  const { id, time, remainingMs, isBare } = told;
  const context = lambdaContext({ functionName: name, awsRequestId: `request-${id}`, remainingMs });
  try {
    const event = { ...scheduledEvent({ time }), ...told };
    const skip = (await (isBare ? work(told) : wrapped(event, context))) as undefined | { readonly reason: string };
    say('replied', { id, ending: skip ? `skipped: ${skip.reason}` : 'ran' });
  } catch {
    say('replied', { id, ending: 'failed' });
  }
}
for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line));
