import type { ClockBounds } from '../ports/lock-store.js';
import type { Clock } from '../values/clock.js';
import { defined } from '../values/defined.js';
import { isByHand } from '../values/names.js';
import { unawaited } from '../values/promised.js';
import { dateOf } from '../values/tick.js';
import type { Previous, ReleaseStatus, SkippedHolder, SkipReason } from './outcome.js';

/** Called with each event of each run. A run neither waits for an observer nor fails because of its errors. */
export type Observer = (event: LockEvent) => unknown;

/**
 * An observer that leaves a trace of each run in the record of the lock. Calls that are skipped meanwhile find the
 * trace there.
 */
export interface TracingObserver extends Observer {
  /**
   * Called once for each call, before the call asks for the lock. An error, or any other result, changes nothing.
   *
   * @returns the trace, which becomes the end of the run's `attemptId`: a dot and 1 to 64 characters of base64url, or
   *   an empty string
   */
  beginTrace(nowMs: number): string;
}

/**
 * An event of a call or its lock: the fields of all events, and those of its `type`. A call ends with one of these
 * events: `finished`, `failed`, `skipped`, or an `acquire-failed` whose `next` is `throw`.
 */
export type LockEvent = EventHead & EventBody;

/** The fields of all events. */
interface EventHead {
  /** The lock. */
  readonly name: string;
  /** When the event happened, by this host's clock. */
  readonly at: Date;
  /** A random id, new for each try to take the lock. From `acquired` on, all events of a run have the same id. */
  readonly attemptId?: string;
  /** The scheduled time of the call; absent if it has none. */
  readonly tick?: Date;
  /** True for a run by hand, which has no tick; absent for any other call. */
  readonly isManual?: true;
}

/** The fields of each type of event. Times in milliseconds. */
export type EventBody =
  | {
      /** The call begins. Reported once for each call, even if the call waits and tries several times. */
      readonly type: 'attempted';
    }
  | {
      /** The lock was granted. */
      readonly type: 'acquired';
      /** Token of the grant. */
      readonly fencingToken: number;
    }
  | {
      /**
       * The call has no lock: the store failed, the grant came too late, the call has no time left, the process is
       * ending, or your own `schedule` threw. A grant that came is given back.
       */
      readonly type: 'acquire-failed';
      /** Why the call has no lock; the call rejects with this error if `next` is `throw`. */
      readonly error: unknown;
      /**
       * What follows. `throw`: the call ends here. `skip`: the event `skipped`. `run`: a run without a lock. `wait`:
       * another try of a call that may `wait`.
       */
      readonly next: 'throw' | 'skip' | 'run' | 'wait';
    }
  | {
      /** Nothing ran. */
      readonly type: 'skipped';
      /** The reason for the skip. */
      readonly reason: SkipReason;
      /** Who has the lock or had it last, if the record says so. */
      readonly holder?: SkippedHolder;
      /** The trace that an observer of the holder left in the record, such as the ids of a span. */
      readonly holderTrace?: string;
      /**
       * The schedule that sent this call, if the run of `holder` came from another schedule. Two schedules that are due
       * in the same minute have the same tick, so only one of their calls runs.
       */
      readonly scheduleArn?: string;
    }
  | {
      /** The handler is about to be called. */
      readonly type: 'started';
      /** Token of the grant; 0 when the run is unguarded (without a lock). */
      readonly fencingToken: number;
    }
  | {
      /** `keepAlive` or the handler has extended the lease. */
      readonly type: 'extended';
      /** Token of the grant. */
      readonly fencingToken: number;
      /** The new end of the lease. */
      readonly lockUntil: Date;
    }
  | {
      /** The store failed to extend the lease. With `keepAlive` the extension is tried again until the lease ends. */
      readonly type: 'extend-failed';
      /** The error of the store. */
      readonly error: unknown;
    }
  | {
      /** The lock was lost while the handler ran, or before its release. */
      readonly type: 'lost';
      /** Token of the lost grant. */
      readonly fencingToken: number;
    }
  | {
      /** The lock was released. */
      readonly type: 'released';
      /** Token of the grant. */
      readonly fencingToken: number;
      /**
       * How long the lock was held, in milliseconds by the monotonic clock: from the first send of the granting acquire
       * to the end of the release.
       */
      readonly heldMs: number;
    }
  | {
      /** The store failed at the release. The lease ends by itself. */
      readonly type: 'release-failed';
      /** The error of the store. */
      readonly error: unknown;
    }
  | {
      /** The handler has succeeded. This event comes after the release. */
      readonly type: 'finished';
      /** The time from the grant to the end of the handler, in milliseconds, including its calls for older ticks. */
      readonly durationMs: number;
      /** The result of the release. */
      readonly release: ReleaseStatus;
    }
  | {
      /** The run has failed, mostly because its handler threw. This event comes after the release. */
      readonly type: 'failed';
      /** The time from the grant to the end of the handler, in milliseconds, including its calls for older ticks. */
      readonly durationMs: number;
      /** The result of the release. */
      readonly release: ReleaseStatus;
      /** The error that the call rejects with: the handler's, or why the run ended before its handler. */
      readonly error: unknown;
    }
  | {
      /** Ticks of `schedule` had no run: their calls never came, or were skipped, for example while the lock was paused. */
      readonly type: 'missed';
      /** The newest 100 of these ticks, oldest first. */
      readonly ticks: readonly Date[];
      /** How many older ticks had no run either; counted up to 10,000. */
      readonly others: number;
    }
  | {
      /** With `catchUp`: the handler ran for an older tick, before the run's own. */
      readonly type: 'caught-up';
      /** The older tick. */
      readonly tick: Date;
      /**
       * `succeeded`: the handler succeeded for the tick, and the tick is marked as done; `failed`: the handler failed.
       */
      readonly status: 'succeeded' | 'failed';
      /** How long the handler ran for the tick, in milliseconds. */
      readonly durationMs: number;
    }
  | {
      /**
       * Open ticks that nobody will run: `catchUp` gives them up, or the record has no room for them. Reported after
       * the mark or release that removes them from the record, even if its answer was lost. If a grant removes them,
       * they are reported only if its answer arrived.
       */
      readonly type: 'given-up';
      /** The newest 100 of the ticks that are given up, oldest first. */
      readonly ticks: readonly Date[];
      /** How many older ticks are given up as well; counted up to 10,000. */
      readonly others: number;
    }
  | {
      /** The run before this one crashed. */
      readonly type: 'recovered';
      /** The run that crashed. */
      readonly previous: Previous;
    }
  | ({
      /** This host's clock is off by more than `maxClockSkew`. */
      readonly type: 'clock-skew';
    } & ClockBounds)
  | {
      /** This host's clock judged that a lease had ended, because the store's answer carried no server time. */
      readonly type: 'clock-unverified';
    }
  | {
      /** The scheduled time in the trigger's event cannot be read, so the run has no tick. */
      readonly type: 'tick-unreadable';
      /** The trigger's time, cut to 64 characters. */
      readonly value: string;
      /** The schedule of EventBridge Scheduler that sent the trigger's event, if the event contains it. */
      readonly scheduleArn?: string;
    };

/** Passes an event of a run to every observer, together with the fields that all events have. */
export type Report = (body: EventBody) => void;

/** Makes the {@link Tell} of one run. A throwing, rejecting or slow observer changes nothing. */
export function reporter(
  observers: readonly Observer[],
  clock: Clock,
  { tickMs, ...head }: { readonly name: string; readonly attemptId: string; readonly tickMs: number | undefined },
): Report {
  return (body) => {
    for (const observer of observers) {
      try {
        const facts = defined({ tick: dateOf(tickMs), isManual: isByHand(head.attemptId) });
        const event = { ...head, ...facts, at: dateOf(clock.now()), ...body };
        unawaited(observer(event));
      } catch {
        // An observer's failure does not stop the run.
      }
    }
  };
}
