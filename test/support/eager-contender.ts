import { setTimeout as sleep } from 'node:timers/promises';
import { type Execution, executeWithLock, type LockEvent, type LockStore, type Outcome } from 'single-execution';
import { gate } from './gate.js';

const SHORTEST_MS = 50;
const LONGEST_MS = 100;
const GIVE_UP_MS = 15_000;

/** A contender that asks for a lock again and again: a try every 50 to 100 ms. */
export interface EagerContender {
  /** The reasons of its skipped tries, oldest first. */
  readonly reasons: readonly string[];
  /** Resolves when its first run has begun. */
  readonly started: Promise<Pick<ContenderRun, 'atMs' | 'execution'>>;
  /** Resolves to its first run and what it saw, when that run has ended. Rejects after 15 s without a run. */
  readonly run: Promise<ContenderRun>;
  /** Makes it stop trying. @returns whether it has run */
  stop(): Promise<boolean>;
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
  const reasons: string[] = [];
  let stopped = false;
  const began = gate<Pick<ContenderRun, 'atMs' | 'execution'>>();

  const contend = async (): Promise<ContenderRun> => {
    const giveUpAt = Date.now() + GIVE_UP_MS;
    while (!stopped && Date.now() < giveUpAt) {
      const events: LockEvent['type'][] = [];
      let seen: Pick<ContenderRun, 'atMs' | 'execution'> | undefined;
      const outcome = await executeWithLock(
        async (execution) => {
          seen = { atMs: Date.now(), execution };
          began.open(seen);
          await until;
          return 'contender';
        },
        { name, store, lockAtMostFor: '10s', observers: [({ type }) => events.push(type)] },
      );
      if (seen) return { ...seen, outcome, events };
      if (outcome.status === 'skipped') reasons.push(outcome.reason);
      await sleep(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
    }
    throw new Error(`lock "${name}" was never free: ${reasons.length} tries`);
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
    reasons,
    started,
    run,
    async stop() {
      stopped = true;
      return ended;
    },
  };
}
