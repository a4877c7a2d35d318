import type { LockEvent, LockStore, StoreCall } from 'single-execution';
import type { Host } from './host.js';
import { MISTAKE } from './sim-bug.js';

/** One try to take the lock and the run that follows from it, as the caller sees them. */
export interface Attempt {
  readonly id: string;
  readonly host: Host;
  readonly tick: number | undefined;
  /** Whether it is for a run by hand, which has no tick. */
  readonly isManual: boolean;
  /** Whether its tick needed no run: it was closed when the attempt began, or a skip says that it may be. */
  isDone?: boolean;
  /** Whether its tick was listed as not done when the attempt began. */
  isListed?: boolean;
  end: 'none' | 'acquired' | 'skipped' | 'failed';
  /** When the attempt began, before its first request. */
  readonly begunMs: number;
  /** When the caller learned of `end`. */
  atMs?: number;
  /** Whether the store never answered the acquire or the release. */
  isUnheard: boolean;
  /** The acquire of the attempt and its extensions, in order. */
  readonly calls: StoreCallMade[];
}

/** A call of the library to the store, and when its time is up. */
export interface StoreCallMade {
  readonly verb: 'acquire' | 'extend';
  readonly begunMs: number;
  readonly budgetMs: number;
  endedMs?: number;
}

export type SkippedEvent = Extract<LockEvent, { type: 'skipped' }>;

/** A caller of the library. Its attempts come one after another. */
export interface Caller {
  readonly onEvent: (event: LockEvent) => void;
  /** Wraps the store for this caller: each acquire counts as an attempt. */
  asks<S extends LockStore>(store: S): S;
  hasEnded(): void;
}

interface Followers {
  tell(line: string): void;
  now(): number;
  onAttempt(attempt: Attempt): void;
  /** Is called when nothing more is done for an attempt. */
  onOver(attempt: Attempt): void;
  onSkipped(event: SkippedEvent, attempt: Attempt | undefined): void;
  onFailed(code: unknown, attempt: Attempt | undefined): void;
  onMistake(error: string): void;
}

const UNHEARD: readonly unknown[] = ['UNAVAILABLE', 'UNSETTLED'];

export function caller(
  host: Host,
  isManual: boolean,
  { tell, now, onAttempt, onOver, onSkipped, onFailed, onMistake }: Followers,
): Caller {
  let attempt: Attempt | undefined;
  const attempts = new Map<string, Attempt>();
  /** Follows a call until it has settled. It delays no promise, so a seed keeps its world. */
  const follow = <R>(id: string, verb: StoreCallMade['verb'], { budgetMs }: StoreCall, answer: Promise<R>) => {
    const made: StoreCallMade = { verb, begunMs: now(), budgetMs };
    attempts.get(id)?.calls.push(made);
    const settled = () => {
      made.endedMs = now();
    };
    answer.then(settled, settled);
    return answer;
  };
  const isReported = (end: Attempt['end'], isUnheard = false) => {
    if (attempt) Object.assign(attempt, { end, atMs: now(), isUnheard });
  };
  const hasEnded = () => {
    // A caller that waits gets no event for a refusal.
    if (attempt?.end === 'none') isReported('skipped');
    if (attempt) onOver(attempt);
    attempt = undefined;
  };
  return {
    hasEnded,
    asks: (store) => ({
      ...store,
      acquire(claim, call) {
        hasEnded();
        const { attemptId: id, tickMs } = claim;
        const tick = isManual ? undefined : tickMs;
        attempt = { id, host, tick, isManual, end: 'none', begunMs: now(), isUnheard: false, calls: [] };
        attempts.set(id, attempt);
        onAttempt(attempt);
        return follow(id, 'acquire', call, store.acquire(claim, call));
      },
      extend: (lease, to, call) => follow(lease.attemptId, 'extend', call, store.extend(lease, to, call)),
    }),
    onEvent(event) {
      tell(`${host.name}: ${event.type} ${'reason' in event ? event.reason : ''} ${event.attemptId ?? ''}`);
      if ('error' in event && MISTAKE.test(String(event.error))) onMistake(String(event.error));
      switch (event.type) {
        case 'acquired':
          isReported('acquired');
          break;
        case 'acquire-failed':
          isReported('failed', UNHEARD.includes((event.error as { code?: unknown }).code));
          onFailed((event.error as { code?: unknown }).code, attempt);
          break;
        case 'release-failed':
          if (attempt) attempt.isUnheard = true;
          break;
        case 'skipped': {
          isReported('skipped');
          onSkipped(event, attempt);
          hasEnded();
          break;
        }
        case 'finished':
        case 'failed':
          hasEnded();
      }
    },
  };
}
