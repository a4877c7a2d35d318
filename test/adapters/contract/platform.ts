import type { Execution } from 'single-execution';

/** A property that only some platforms have. A case names those that it needs. */
export type Need =
  /** The caller calls the wrapped function directly, so the handler has the caller's `this`. */
  | 'own call'
  /** A trigger carries its scheduled time. */
  | 'time in the trigger'
  /** A trigger without a scheduled time runs; on the other platforms it is refused. */
  | 'untimed runs'
  | 'untimed is refused'
  /** No trigger names a time that is more than a day ahead. */
  | 'a time ahead is wrong'
  /** The option `tick` is required, and may be the local clock. */
  | 'tick of the local clock'
  /** The platform does not report how long a run can last, so an option must set it. */
  | 'lease by an option'
  /** The context has `waitUntil`, for work that goes on after the handler. */
  | 'background'
  /** A handler can be called again, for an older tick. */
  | 'catch-up'
  /** The option `store` is a store, not a function that returns one. */
  | 'store as a value';

/** What a handler is given. */
export interface Given {
  readonly self: unknown;
  /** The arguments of the platform, without the execution. */
  readonly args: readonly unknown[];
  readonly execution: Execution;
}

/** The work of a handler, in the same form for all platforms. */
export type Job = (given: Given) => unknown;

/** A function with the arguments that a platform passes. */
// biome-ignore lint/suspicious/noExplicitAny: each platform passes its own arguments
export type Called = (this: unknown, ...args: any[]) => unknown;

/** The parts of a trigger that the cases set. */
export interface Trigger {
  /** The scheduled time in epoch milliseconds, or an invalid value. Absent if the trigger carries no time. */
  readonly time?: unknown;
  /** A text in the trigger from which the option `name` can make a lock name. */
  readonly tenant: string;
  /** A text in the trigger that must reach no log and no record. */
  readonly secret: string;
  /** The time until the platform ends the run, on platforms that report it. */
  readonly remainingMs: () => number;
  /** Takes work in the background; absent if the platform cannot. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** A trigger for cases in which its values do not matter. */
export const anyTrigger: Trigger = {
  time: Date.UTC(2026, 0, 1),
  tenant: 'acme',
  secret: 'nothing',
  remainingMs: () => 60_000,
};

/** One adapter or aspect, as the cases of the contract use it. */
export interface Platform {
  readonly title: string;
  /** What the platform does not have, each with the reason. */
  readonly lacks: Readonly<Partial<Record<Need, string>>>;
  /** Names of its options before `store`, in the order of its error message. */
  readonly optionNames: string;
  /** Its options in most cases: the tick comes from the trigger. */
  readonly options: object;
  /** Where the time limit of a run comes from, in the words of a warning: the context, or the option `maxDuration`. */
  readonly limit: "the function's remaining" | 'maxDuration, which is';
  /** The holder that a skip reports. */
  readonly holder: string | RegExp;
  /** Makes a handler that does this job, and wraps it with the adapter. */
  wrap(job: Job, options: never): Called;
  /** The arguments with which the platform calls for a trigger. */
  argsOf(trigger: Trigger): unknown[];
  /** Makes of a wrapped function one that runs by hand, with the same arguments. */
  byHand(call: Called): Called;
  /** Reads `Trigger.tenant` from the arguments. */
  tenantOf(...args: never[]): string;
  /** The scheduled time that a handler reads from its arguments. */
  timeOf(...args: never[]): unknown;
  /** What `timeOf` reads in a run for an older tick: this tick or the call's. `execution.tick` is always this tick. */
  readonly timeOfOlderTick: 'its own' | 'that of the call';
  /** Results that a handler may have. */
  results(): unknown[];
  /** Reads the skip from the result of a call. @default the result itself */
  skipOf?(reply: unknown): Promise<unknown>;
  /** Reads the code of a refusal from the result. @default the call rejects; the error's code, or its name, counts */
  refusalOf?(reply: unknown): Promise<unknown>;
  /** How a call with a time that no schedule can have sent is refused. @default RangeError */
  readonly wrongTime?: string;
  /** How a trigger without a time is refused; absent if it runs. */
  readonly noTime?: string;
}

/** A handler that gets its execution as its last argument. */
export function executionLast(job: Job): Called {
  return function (this: unknown, ...all: unknown[]) {
    return job({ self: this, args: all.slice(0, -1), execution: all.at(-1) as Execution });
  };
}

/** For a wrapped function that has a method `now`. */
export const callsNow = (call: Called): Called => (call as Called & { readonly now: Called }).now;

/** Results for all platforms but routes, which must return a Response. */
export const anyResults = (): unknown[] => [{ sent: 5 }, undefined, null, 'sent', 0, new Error('a value')];
