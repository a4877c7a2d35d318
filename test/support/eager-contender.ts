import { setTimeout as sleep } from 'node:timers/promises';
import { type Execution, executeWithLock, type LockEvent, type LockStore, type Outcome } from 'single-execution';
import { gate } from './gate.js';

const SHORTEST_MS = 50;
const LONGEST_MS = 100;
const GIVE_UP_MS = 15_000;

/** Asks for a lock without pause: a try every 50 to 100 ms. */
export interface EagerContender {
  /** What its tries that were skipped were told, oldest first. */
  readonly reasons: readonly string[];
  /** Its first run, as soon as it has begun. */
  readonly started: Promise<Pick<ContenderRun, 'atMs' | 'execution'>>;
  /** Its first run, and what it saw; rejects after 15 s without one. */
  readonly run: Promise<ContenderRun>;
  /** Tries no more; whether it has run. */
  stop(): Promise<boolean>;
}

export interface ContenderRun {
  readonly atMs: number;
  readonly outcome: Outcome<string>;
  readonly execution: Execution;
  readonly events: readonly LockEvent['type'][];
}

/** @param until its run lasts until this resolves */
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
  // Whoever does not ask for it is not told that it never came.
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
