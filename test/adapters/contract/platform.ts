import type { Execution } from 'single-execution';

/** What only some platforms have, or do. */
export type Need =
  /** The wrapped function itself is called, so that it has a `this` and the run is around the handler. */
  | 'own call'
  /** A trigger carries its scheduled time. */
  | 'time in the trigger'
  /** A trigger without a scheduled time runs; on the other platforms it is refused. */
  | 'untimed runs'
  | 'untimed is refused'
  /** The option `tick` is required, and may be the local clock. */
  | 'tick of the local clock'
  /** No platform reports how long a run can last, so that an option must say it. */
  | 'lease by an option'
  /** The context takes work that outlives the handler. */
  | 'background'
  /** A handler can be called again, for an older tick. */
  | 'catch-up'
  /** The store is given when wrapping. */
  | 'store as a value';

/** What a handler is given. */
export interface Given {
  readonly self: unknown;
  /** The arguments of the platform, without the execution. */
  readonly args: readonly unknown[];
  readonly execution: Execution;
}

/** What a handler of any platform does. */
export type Job = (given: Given) => unknown;

/** A function in the form of a platform. */
// biome-ignore lint/suspicious/noExplicitAny: each platform passes its own arguments
export type Called = (this: unknown, ...args: any[]) => unknown;

/** What a platform passes on to a function that it calls. */
export interface Trigger {
  /** The scheduled time in epoch milliseconds, or what cannot be read as one. Absent if the trigger carries none. */
  readonly time?: unknown;
  /** Something in the trigger that a name can be made of. */
  readonly tenant: string;
  /** Something in the trigger that nobody else may see. */
  readonly secret: string;
  /** The time until the platform ends the run, on platforms that report it. */
  readonly remainingMs: () => number;
  /** Takes work in the background; absent if the platform cannot. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** A trigger of whose parts none matters. */
export const anyTrigger: Trigger = {
  time: Date.UTC(2026, 0, 1),
  tenant: 'acme',
  secret: 'nothing',
  remainingMs: () => 60_000,
};

/** One adapter or aspect, as the cases of the contract use it. */
export interface Platform {
  readonly title: string;
  /** Why a promise is not made here. */
  readonly lacks: Readonly<Partial<Record<Need, string>>>;
  /** Names of its options before `store`, in the order of its error message. */
  readonly optionNames: string;
  /** Its options in most cases: the tick comes from the trigger. */
  readonly options: object;
  /** The source of the time that a run has: the context, or the option `maxDuration`. The words are those of a warning. */
  readonly limit: "the function's remaining" | 'maxDuration, which is';
  /** Who holds the lock, as a skip says. */
  readonly holder: string | RegExp;
  /** Makes a handler that does this job, and wraps it. */
  wrap(job: Job, options: never): Called;
  /** The arguments that a call has. */
  argsOf(trigger: Trigger): unknown[];
  /** What `Trigger.tenant` is in the arguments. */
  tenantOf(...args: never[]): string;
  /** The scheduled time that a handler reads from its arguments. */
  timeOf(...args: never[]): unknown;
  /** The time that it reads there when it runs for an older tick; `execution.tick` is that tick in any case. */
  readonly timeOfOlderTick: 'its own' | 'that of the call';
  /** Results that a handler may have. */
  results(): unknown[];
  /** The skip that a caller is told of. @default the result of the call */
  skipOf?(reply: unknown): Promise<unknown>;
  /** The code of an answer that refuses a call. @default a refusal rejects; it is told by its code, or its name */
  refusalOf?(reply: unknown): Promise<unknown>;
  /** What becomes of a time that no schedule can have sent. @default RangeError */
  readonly wrongTime?: string;
  /** What becomes of a trigger without a time, where it is refused. */
  readonly noTime?: string;
}

/** A handler that gets its execution as its last argument. */
export function executionLast(job: Job): Called {
  return function (this: unknown, ...all: unknown[]) {
    return job({ self: this, args: all.slice(0, -1), execution: all.at(-1) as Execution });
  };
}

/** Results that anything but a route may have. */
export const anyResults = (): unknown[] => [{ sent: 5 }, undefined, null, 'sent', 0];
