import type { ClockBounds } from '../ports/lock-store.js';
import type { Clock } from '../values/clock.js';
import { defined } from '../values/defined.js';
import { dateOf } from '../values/tick.js';
import type { Previous, ReleaseStatus, SkippedHolder, SkipReason } from './outcome.js';

/** Called with each event of each run. Never awaited; what it throws or rejects with is dropped. */
export type Observer = (event: LockEvent) => unknown;

/** An observer that leaves a trace of each run in the record of its lock, for the runs that are skipped meanwhile. */
export interface TracingObserver extends Observer {
  /**
   * Called once a call, before it asks for the lock. What it throws, or says besides, changes nothing.
   *
   * @returns what the run's `attemptId` then ends in: a dot and 1 to 64 characters of base64url, or nothing
   */
  beginTrace(nowMs: number): string;
}

/**
 * Something that happened to a call or its lock: what all events have, and by `type` what is particular to each. One
 * event ends a call: `finished`, `failed`, `skipped`, or an `acquire-failed` whose `next` is `throw`.
 */
export type LockEvent = EventHead & EventBody;

/** What all events have. */
interface EventHead {
  /** The lock. */
  readonly name: string;
  /** When it happened, by this host's clock. */
  readonly at: Date;
  /** Fresh and random for each try to take the lock; the events of one run share it, from `acquired` on. */
  readonly attemptId?: string;
  /** The scheduled time of the call; absent where it has none. */
  readonly tick?: Date;
}

/** What is particular to each type of event. Times in milliseconds. */
export type EventBody =
  | {
      /** The call begins. Once a call, however often one that may `wait` tries. */
      readonly type: 'attempted';
    }
  | {
      /** The lock was granted. */
      readonly type: 'acquired';
      /** Token of the grant. */
      readonly fencingToken: number;
    }
  /** The store failed, the grant came too late, or the call has no time left. */
  | {
      /** The lock was not acquired. */
      readonly type: 'acquire-failed';
      /** What the call rejects with, where `next` is `throw`. */
      readonly error: unknown;
      /**
       * `throw`: the call ends here. With `onStoreError` it goes on: `skip` is followed by `skipped`, `run` by a run
       * without a lock, and `wait` by another try of a call that may `wait`.
       */
      readonly next: 'throw' | 'skip' | 'run' | 'wait';
    }
  /** `holderTrace`: what an observer of the holder's process has left, such as the ids of a span. */
  | {
      /** Nothing ran. */
      readonly type: 'skipped';
      /** Why. */
      readonly reason: SkipReason;
      /** Who has the lock, where the record tells. */
      readonly holder?: SkippedHolder;
      /** What an observer of the holder's process has left in the record. */
      readonly holderTrace?: string;
    }
  | {
      /** The handler is about to be called. */
      readonly type: 'started';
      /** Token of the grant; 0 when the run is unguarded. */
      readonly fencingToken: number;
    }
  | {
      /** The lease is longer now: `keepAlive` renewed it, or the handler did. */
      readonly type: 'extended';
      /** Token of the grant. */
      readonly fencingToken: number;
      /** The new end of the lease. */
      readonly lockUntil: Date;
    }
  /** An extension failed; with `keepAlive` it is tried again until the lease is over. */
  | {
      /** The store failed. */
      readonly type: 'extend-failed';
      /** What the store threw. */
      readonly error: unknown;
    }
  | {
      /** The lock was lost while the handler ran, or was another run's by the time of the release. */
      readonly type: 'lost';
      /** Token of the grant that is over. */
      readonly fencingToken: number;
    }
  /** `heldMs`: by the monotonic clock, from the first send of the granting acquire to the end of the release. */
  | {
      /** The lock was given back. */
      readonly type: 'released';
      /** Token of the grant. */
      readonly fencingToken: number;
      /** How long it was held, in milliseconds. */
      readonly heldMs: number;
    }
  | {
      /** The store failed at the release. The lease ends by itself. */
      readonly type: 'release-failed';
      /** What the store threw. */
      readonly error: unknown;
    }
  | {
      /** The handler has succeeded. It comes after the release. */
      readonly type: 'finished';
      /** From the grant to the end of the handler, in milliseconds; with ticks that it caught up with. */
      readonly durationMs: number;
      /** What became of the release. */
      readonly release: ReleaseStatus;
    }
  | {
      /** The handler has failed. It comes after the release. */
      readonly type: 'failed';
      /** From the grant to the end of the handler, in milliseconds; with ticks that it caught up with. */
      readonly durationMs: number;
      /** What became of the release. */
      readonly release: ReleaseStatus;
      /** What the handler threw. */
      readonly error: unknown;
    }
  | {
      /** Ticks of `schedule` never came. */
      readonly type: 'missed';
      /** Those ticks, oldest first; the newest 100. */
      readonly ticks: readonly Date[];
      /** How many older ones never came either; counted up to 10,000. */
      readonly others: number;
    }
  /** A tick before the run's own has been run, and it succeeded and is marked as done, or failed. */
  | {
      /** With `catchUp`: the handler ran for an older tick. */
      readonly type: 'caught-up';
      /** That tick. */
      readonly tick: Date;
      /** Whether the handler succeeded for it. */
      readonly status: 'succeeded' | 'failed';
      /** How long the handler ran for it, in milliseconds. */
      readonly durationMs: number;
    }
  /** It follows the write that takes them off the record, also if the answer to that write was lost. */
  | {
      /** Open ticks that nobody will run: `catchUp` gives them up, or the record has no room for them. */
      readonly type: 'given-up';
      /** Those ticks, oldest first; the newest 100. */
      readonly ticks: readonly Date[];
      /** How many older ones are given up as well; counted up to 10,000. */
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
      /** A lock was taken over by this host's clock, because the answer of the store carried no server time. */
      readonly type: 'clock-unverified';
    }
  /** The trigger names a time that cannot be read; the run has no tick. */
  | {
      /** The event has a scheduled time that cannot be read. */
      readonly type: 'tick-unreadable';
      /** What the trigger named, up to 64 characters of it. */
      readonly value: string;
      /** The schedule of EventBridge Scheduler that sent it, if it tells. */
      readonly scheduleArn?: string;
    };

/** Tells every observer of a run what happens, with the head filled in. */
export type Tell = (body: EventBody) => void;

/** Makes the {@link Tell} of one run. A throwing, rejecting or slow observer changes nothing. */
export function tellAll(
  observers: readonly Observer[],
  clock: Clock,
  { tickMs, ...head }: { readonly name: string; readonly attemptId: string; readonly tickMs: number | undefined },
): Tell {
  return (body) => {
    for (const observer of observers) {
      try {
        const event = { ...head, ...defined({ tick: dateOf(tickMs) }), at: dateOf(clock.now()), ...body };
        Promise.resolve(observer(event)).catch(() => undefined);
      } catch {
        // An observer's failure is its own; the run goes on.
      }
    }
  };
}
