/**
 * When ticks are due. `cron`, `eventBridge` and `rate` of `single-execution/schedule` make such values; any object with
 * these functions will do. Immutable, and the same on every host.
 */
export interface Schedule {
  /** The newest tick at or before an instant; undefined if no tick is that early. */
  previous(at: Date): Date | undefined;
  /** The first tick strictly after an instant; undefined if no tick follows. */
  next(at: Date): Date | undefined;
  /** The ticks from `from` (inclusive) to `to` (exclusive), oldest first; the first `max` of them. */
  between(
    from: Date,
    to: Date,
    options?: {
      /** At most so many; without it up to 100,000, and a RangeError beyond. */
      readonly max?: number;
    },
  ): Date[];
  /** The expression, and its time zone if that is not UTC. */
  toString(): string;
  /** Milliseconds between two ticks of a schedule that tells only how far apart they are, not when they are due. */
  readonly everyMs?: number;
}

/** A schedule given as a duration: how far apart its ticks are, but not when they are due. */
export type Interval = Required<Pick<Schedule, 'everyMs'>>;

/** Whether a schedule tells when its ticks are due. */
export function isTimed(schedule: Schedule | Interval | undefined): schedule is Schedule {
  return schedule !== undefined && !(Number(schedule.everyMs) > 0);
}
