import type { ClockBounds } from '../ports/lock-store.js';
import type { Clock } from '../values/clock.js';
import { dateOf } from '../values/date-of.js';
import { defined } from '../values/defined.js';
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

export type LockEvent = EventHead & EventBody;

interface EventHead {
  /** The lock. */
  readonly name: string;
  readonly at: Date;
  readonly attemptId?: string;
  readonly tick?: Date;
}

/** What is particular to each type of event. Times in milliseconds. */
export type EventBody =
  | { readonly type: 'attempted' }
  | { readonly type: 'acquired'; readonly fencingToken: number }
  /** The store failed while acquiring; `onStoreError` says what happens next. */
  | { readonly type: 'acquire-failed'; readonly error: unknown }
  /** `holderTrace`: what an observer of the holder's process has left, such as the ids of a span. */
  | {
      readonly type: 'skipped';
      readonly reason: SkipReason;
      readonly holder?: SkippedHolder;
      readonly holderTrace?: string;
    }
  | { readonly type: 'started'; readonly fencingToken: number }
  | { readonly type: 'extended'; readonly fencingToken: number; readonly lockUntil: Date }
  /** An extension failed; with `keepAlive` it is tried again until the lease is over. */
  | { readonly type: 'extend-failed'; readonly error: unknown }
  | { readonly type: 'lost'; readonly fencingToken: number }
  /** `heldMs`: by the monotonic clock, from the first send of the granting acquire to the end of the release. */
  | { readonly type: 'released'; readonly fencingToken: number; readonly heldMs: number }
  | { readonly type: 'release-failed'; readonly error: unknown }
  | { readonly type: 'finished'; readonly durationMs: number; readonly release: ReleaseStatus }
  | { readonly type: 'failed'; readonly durationMs: number; readonly release: ReleaseStatus; readonly error: unknown }
  | { readonly type: 'missed'; readonly ticks: readonly Date[] }
  /** A tick before the run's own has been run, and it succeeded and is marked as done, or failed. */
  | {
      readonly type: 'caught-up';
      readonly tick: Date;
      readonly status: 'succeeded' | 'failed';
      readonly durationMs: number;
    }
  /** Ticks that are not caught up with any more; the newest 100. */
  | { readonly type: 'given-up'; readonly ticks: readonly Date[] }
  | { readonly type: 'recovered'; readonly previous: Previous }
  | ({ readonly type: 'clock-skew' } & ClockBounds)
  | { readonly type: 'clock-unverified' }
  /** The trigger names a time that cannot be read; the run has no tick. */
  | { readonly type: 'tick-unreadable'; readonly value: string; readonly scheduleArn?: string };

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
