import { executeWithLock, type SkipReason } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';

/** A trigger's call of one job. Times are minutes of the picture. */
export interface Call {
  readonly at: number;
  /** The call's tick; absent if the call has none. */
  readonly tick?: number;
  readonly lasts: number;
  /** The run is killed after `lasts`: nobody releases its lock. */
  readonly isKilled?: boolean;
  readonly label: string;
}

/** A call, with the reason if it was skipped. */
export interface Played extends Call {
  readonly skipped?: SkipReason;
}

const MINUTE = 60_000;

/** Makes the calls on a manual clock, and lets the library decide, so that each picture shows what the library does. */
export async function played(
  calls: readonly Call[],
  times: { readonly lockAtMostFor: string; readonly lockAtLeastFor?: string },
): Promise<Played[]> {
  const clock = manualClock();
  const start = clock.now();
  const store = memoryStore();
  const skipped = new Map<Call, SkipReason>();
  for (const call of calls) {
    await clock.advance(start + call.at * MINUTE - clock.now());
    const work = () =>
      new Promise<void>((resolve) => {
        if (!call.isKilled) clock.setTimer(resolve, call.lasts * MINUTE);
      });
    const tick = call.tick === undefined ? {} : { tick: start + call.tick * MINUTE };
    const run = executeWithLock(work, { name: 'job', store, clock, observers: [], ...times, ...tick });
    void run.then((outcome) => {
      if (outcome.status === 'skipped') skipped.set(call, outcome.reason);
    });
    await clock.advance(0);
  }
  return calls.map((call) => {
    const reason = skipped.get(call);
    return reason === undefined ? call : { ...call, skipped: reason };
  });
}
