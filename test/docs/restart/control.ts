import { createInterface } from 'node:readline';
import { type Execution, isSkipped, type Outcome } from '../../../src/index.js';
import { gate } from '../../support/gate.js';
import { say } from '../../support/told.js';

/*
 * Holds the handlers of an example until its test has restarted the server, and calls them again when the test says so.
 */

type Handler = (...args: never[]) => unknown;

const free = gate();
let calls = 0;
/** Whether the example has called its handler itself. */
export const isCalled = (): boolean => calls > 0;

/** What calls the example's handler once more: for a new tick, or for the tick before. */
export const callers: ((isRepeated: boolean) => Promise<unknown>)[] = [];

/** The handler of an example, which says when it runs. The first run waits until the test has restarted the server. */
export function held<H extends Handler>(handler: H, tickOf = lastTick): H {
  const inside = async function (this: unknown, ...args: Parameters<H>) {
    const { signal } = Object(args.at(-1)) as Partial<Execution>;
    signal?.addEventListener('abort', () => say('aborted'));
    await holdsNow(tickOf(args));
    return handler.apply(this, args);
  };
  // The wrappers pass the execution at the place that the number of parameters tells.
  return Object.defineProperty(inside, 'length', { value: handler.length }) as unknown as H;
}

/** Says that the example has its lock, and waits in the first run until the test says `go`. */
export function holdsNow(tick?: Date): Promise<void> {
  say('inside', { tick });
  return free.opened;
}

const lastTick = (args: readonly unknown[]) => (args.at(-1) as Execution | undefined)?.tick;

/**
 * A wrapped function that says how its calls ended.
 *
 * @param newArgs what a scheduler passes for a new tick. @default the arguments of node-cron
 */
export function told<W extends (...args: never[]) => Promise<unknown>>(wrapped: W, newArgs = argsOfNodeCron): W {
  let last: Parameters<W> | undefined;
  const telling = async function (this: unknown, ...args: Parameters<W>) {
    last = args;
    return tellEnd(() => wrapped.apply(this, args));
  };
  callers.push((isRepeated) => {
    return telling(...(isRepeated && last ? last : (newArgs() as Parameters<W>)));
  });
  return telling as unknown as W;
}

const argsOfNodeCron = (): unknown[] => [{ date: new Date(), triggeredAt: new Date() }];

/** Says how a call ended. @throws what the call rejects with */
export async function tellEnd<T>(call: () => Promise<T>): Promise<T> {
  calls++;
  try {
    const result = await call();
    if (isSkipped(result)) say('skipped', { reason: result.reason });
    else say('executed', { release: Object(result as Outcome<unknown>).release });
    return result;
  } catch (error) {
    const { name, code, message } = error as { name: string; code?: string; message: string };
    say('rejected', { name, code, message });
    throw error;
  }
}

/** Obeys the test: `go` lets the held run go on, `next` calls for a new tick, `repeat` for the last one. */
export function obey(): void {
  const orders: Readonly<Record<string, () => unknown>> = {
    go: () => free.open(),
    next: () => Promise.allSettled(callers.map((call) => call(false))),
    repeat: () => Promise.allSettled(callers.map((call) => call(true))),
    end: () => process.exit(0),
  };
  createInterface(process.stdin).on('line', (line) => void orders[line]?.());
}
