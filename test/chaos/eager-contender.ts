import { setTimeout as sleep } from 'node:timers/promises';
import { type Execution, executeWithLock, type LockEvent, type LockStore, type Outcome } from 'single-execution';
import { gate } from '../support/gate.js';

const SHORTEST_MS = 50;
const LONGEST_MS = 100;
const GIVE_UP_MS = 60_000;

/** A contender that asks for a lock again and again: a try every 50 to 100 ms. */
export interface EagerContender {
  /** Its tries that were skipped, oldest first. */
  readonly refusals: readonly Refusal[];
  /** Resolves when a try that began after this call has been skipped. */
  refusedAgain(): Promise<void>;
  /** Resolves when its first run has begun. */
  readonly started: Promise<Pick<ContenderRun, 'atMs' | 'execution'>>;
  /** Resolves to its first run and what it saw, when that run has ended. Rejects after a minute without a run. */
  readonly run: Promise<ContenderRun>;
  /** Makes it stop trying. @returns whether it has run */
  stop(): Promise<boolean>;
}

export interface Refusal {
  readonly reason: string;
  readonly askedMs: number;
  /** The end of the lease that the refusal named. */
  readonly lockUntilMs: number;
}

export interface ContenderRun {
  readonly atMs: number;
  readonly outcome: Outcome<string>;
  readonly execution: Execution;
  readonly events: readonly LockEvent['type'][];
}

/** @param until the contender's run lasts until this promise resolves */
export function eagerContender(
  store: LockStore,
  name: string,
  until: Promise<unknown> = Promise.resolve(),
): EagerContender {
  const refusals: Refusal[] = [];
  let stopped = false;
  const began = gate<Pick<ContenderRun, 'atMs' | 'execution'>>();

  const contend = async (): Promise<ContenderRun> => {
    const giveUpMono = performance.now() + GIVE_UP_MS;
    while (!stopped && performance.now() < giveUpMono) {
      const events: LockEvent['type'][] = [];
      let seen: Pick<ContenderRun, 'atMs' | 'execution'> | undefined;
      const askedMs = Date.now();
      const outcome = await executeWithLock(
        async (execution) => {
          seen = { atMs: Date.now(), execution };
          began.open(seen);
          await until;
          return 'contender';
        },
        { name, store, lockAtMostFor: '2m', observers: [({ type }) => events.push(type)] },
      );
      if (seen) return { ...seen, outcome, events };
      if (outcome.status === 'skipped') {
        const lockUntilMs = Date.parse(outcome.holder?.lockUntil ?? '');
        refusals.push({ reason: outcome.reason, askedMs, lockUntilMs });
      }
      await sleep(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
    }
    throw new Error(`lock "${name}" was never free: ${refusals.length} tries`);
  };

  const run = contend();
  const ended = run.then(
    () => true,
    () => false,
  );
  const started = Promise.race([began.opened, run.then(() => began.opened)]);
  // If nobody awaits `started`, its rejection must not count as unhandled.
  started.catch(() => undefined);
  return {
    refusals,
    async refusedAgain() {
      const calledMs = Date.now();
      while (!refusals.some(({ askedMs }) => askedMs >= calledMs)) {
        await Promise.race([sleep(SHORTEST_MS), run.then(() => Promise.reject(new Error(`"${name}" was free`)))]);
      }
    },
    started,
    run,
    async stop() {
      stopped = true;
      return ended;
    },
  };
}
