import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending, Host, Seen } from './hosts.js';

/** What happens to the job, and how the deliveries of its tick must end, in order. */
export interface Situation {
  readonly title: string;
  readonly wanted: readonly Ending[];
  play(hosts: readonly [Host, Host], seen: Seen, tick: number): Promise<Ending[]>;
}

const RETRY_MS = 700;
/** A busy machine too can take the lock in half of this time. The lease ends two seconds after it. */
const REMAINING_MS = 4_000;

export const SITUATIONS: readonly Situation[] = [
  {
    title: 'a run fails, and the platform tries again',
    wanted: ['failed', 'ran'],
    async play([one, other], seen, tick) {
      return [await one.deliver(seen, tick, { fails: true }), await other.deliver(seen, tick)];
    },
  },
  {
    title: 'a host takes the lock, but the answer of the store is lost, and the tick comes again',
    wanted: ['ran', 'skipped: already-executed'],
    async play([one, other], seen, tick) {
      one.loseAnswer();
      return [await one.deliver(seen, tick), await other.deliver(seen, tick)];
    },
  },
  {
    title: 'a host dies at work; its tick comes until the lease is over',
    wanted: ['killed', 'skipped: locked', 'ran'],
    async play([one, other], seen, tick) {
      const running = one.deliver(seen, tick, { runMs: 30_000, remainingMs: REMAINING_MS });
      await Promise.race([one.atWork(), running]);
      one.kill();
      const endings: Ending[] = [await running, await other.deliver(seen, tick)];
      while (endings.at(-1) === 'skipped: locked') {
        await sleep(RETRY_MS);
        endings.push(await other.deliver(seen, tick));
      }
      return endings.filter((ending, n) => ending !== endings[n - 1]);
    },
  },
];
