import { setTimeout as sleep } from 'node:timers/promises';
import { executeWithLock, type LockStore } from 'single-execution';
import { expect } from 'vitest';

const OUTAGE = new Set<unknown>(['UNAVAILABLE', 'UNSETTLED', 'LATE']);

export interface Race {
  /** Lets every racer end its run, and start none. */
  rest(): Promise<void>;
  goOn(): void;
  /** Resolves when every racer has run once more from now on. Rejects if two were inside at once. */
  allRan(): Promise<void>;
  end(): Promise<void>;
}

/** Runs one lock again and again from several stores, by any of whose clients the lock can be lost or kept. */
export function startRace(name: string, racing: ReadonlyMap<string, LockStore>): Race {
  const runs = new Map([...racing.keys()].map((racer) => [racer, 0]));
  const codes = new Set<unknown>();
  let [inside, most, resting, ended] = [0, 0, false, false];
  const run = async (racer: string) => {
    inside++;
    most = Math.max(most, inside);
    await sleep(5);
    inside--;
    runs.set(racer, (runs.get(racer) ?? 0) + 1);
  };
  const racers: Promise<void>[] = [];
  const race = async (racer: string, store: LockStore) => {
    while (!resting && !ended) {
      const options = { name, store, lockAtMostFor: '3s', observers: [] } as const;
      await executeWithLock(() => run(racer), options).catch((error: { code?: unknown }) => codes.add(error.code));
      await sleep(10);
    }
  };
  const goOn = () => {
    resting = false;
    for (const [racer, store] of racing) racers.push(race(racer, store));
  };
  const rest = async () => {
    resting = true;
    await Promise.all(racers.splice(0));
  };
  goOn();
  return {
    rest,
    goOn,
    async allRan() {
      const before = new Map(runs);
      const waiting = () => [...runs].filter(([racer, count]) => count === before.get(racer)).map(([racer]) => racer);
      await expect.poll(waiting, { message: 'clients that have not run again' }).toEqual([]);
      expect(most, 'handlers inside at once').toBe(1);
      // What a failover brings is reported as an outage; a grant can also come after its lease of 3 s.
      expect([...codes].filter((code) => !OUTAGE.has(code))).toEqual([]);
    },
    async end() {
      ended = true;
      await rest();
    },
  };
}
