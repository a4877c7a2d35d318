/**
 * When ticks are due. `cron`, `eventBridge` and `rate` of `single-execution/schedule` make schedules; any object with
 * these functions is one. Immutable, and the same on every host.
 */
export interface Schedule {
  /** The newest tick at or before an instant; undefined if no tick is that early. */
  previous(at: Date): Date | undefined;
  /** The first tick strictly after an instant; undefined if no tick follows. */
  next(at: Date): Date | undefined;
  /** The ticks from `from` (inclusive) to `to` (exclusive), oldest first, at most `max`. */
  between(
    from: Date,
    to: Date,
    options?: {
      /** The most ticks to return. Without it, more than 100,000 ticks throw a RangeError. */
      readonly max?: number;
    },
  ): Date[];
  /** The expression, and its time zone if that is not UTC. */
  toString(): string;
  /** Milliseconds between two ticks, on a schedule that has no instants at which they are due. */
  readonly everyMs?: number;
}

/** A schedule given as a duration: the time between two ticks, without the instants at which they are due. */
export type Interval = Required<Pick<Schedule, 'everyMs'>>;

/** Whether a schedule has the instants at which its ticks are due. */
export function isTimed(schedule: Schedule | Interval | undefined): schedule is Schedule {
  return schedule !== undefined && !(Number(schedule.everyMs) > 0);
}
