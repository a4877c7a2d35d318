import type { LockEvent } from '../public/events.js';
import { factsOfSkip } from '../public/outcome.js';

/** How urgent an event is: `warn` if it may need attention, `error` if something failed. */
export type Level = 'info' | 'warn' | 'error';

type EventType = LockEvent['type'];

/**
 * A table with a function for each type of event, except for the types in `LeftOut`. When a new type of event is added,
 * no table compiles until it has a line for that type or names it in `LeftOut`.
 */
export type ByType<LeftOut extends EventType, R> = {
  readonly [T in Exclude<EventType, LeftOut>]: (event: Extract<LockEvent, { readonly type: T }>) => R;
};

/**
 * Calls the function that a table has for the type of an event. Returns undefined if the table leaves out that type.
 */
export const byType = <R>(table: Partial<ByType<never, R>>, event: LockEvent): R | undefined =>
  (table as Readonly<Record<string, (event: LockEvent) => R>>)[event.type]?.(event);

/** The level of each event that an operator must see, and its meaning in plain words. */
export const WORDS: ByType<
  'attempted' | 'acquired' | 'started' | 'extended' | 'released' | 'finished' | 'failed',
  readonly [Level, string] | undefined
> = {
  'acquire-failed': () => ['error', 'could not be acquired'],
  'extend-failed': () => ['error', 'could not be extended'],
  'release-failed': () => ['error', 'could not be released'],
  lost: () => ['warn', 'lost before its run ended'],
  missed: ({ ticks, others }) => ['warn', `ticks missed: ${ticks.length + others}`],
  // A failure needs no line here: the call rejects with it, and the caller or the platform reports it.
  'caught-up': ({ status, tick }) =>
    status === 'failed' ? undefined : ['info', `caught up with tick ${tick.toISOString()}`],
  'given-up': ({ ticks, others }) => ['warn', `ticks given up: ${ticks.length + others}`],
  recovered: () => ['warn', 'the run before crashed'],
  'clock-skew': ({ minMs, maxMs }) => ['warn', `the clock of this host is off by ${minMs} to ${maxMs} ms`],
  'clock-unverified': () => ['warn', "taken over, going by this host's clock"],
  'tick-unreadable': () => ['warn', 'the scheduled time in the event cannot be read'],
  skipped: ({ reason, holder, scheduleArn }) => {
    const { words, isHeld, isSettled, level = 'info' } = factsOfSkip(reason);
    const by = holder && isHeld ? ` by ${holder.lockedBy} until ${holder.lockUntil}` : '';
    const other = scheduleArn ? ', and the last run came from another schedule' : '';
    return [isSettled && other ? 'warn' : level, `skipped, ${words}${by}${other}`];
  },
};

/** Whether operators must see events of this type. */
export const isForOperators = ({ type }: LockEvent): boolean => type in WORDS;
