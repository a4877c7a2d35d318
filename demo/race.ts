import { setTimeout as sleep } from 'node:timers/promises';
import { type Host, historyOf, nothingSeen, type Seen } from './hosts.js';

/*
 * The race of the README: the same deliveries go to two hosts with a bare handler, and to two hosts with a wrapped
 * handler.
 */

/** When each host gets which tick, and how long the run takes. */
const DELIVERIES: readonly { atMs: number; host: 0 | 1; tick: number; runMs?: number }[] = [
  { atMs: 0, host: 0, tick: 1 },
  { atMs: 60, host: 1, tick: 1 },
  { atMs: 700, host: 0, tick: 2, runMs: 900 },
  { atMs: 1_100, host: 1, tick: 3 },
  { atMs: 1_900, host: 0, tick: 4 },
  { atMs: 2_600, host: 1, tick: 4 },
  { atMs: 3_300, host: 1, tick: 5 },
  { atMs: 3_360, host: 0, tick: 5 },
];

export type Race = Awaited<ReturnType<typeof playRace>>;

/** Plays both lanes at once. */
export async function playRace(hosts: readonly [Host, Host], firstTickMs: number) {
  const [bare, wrapped] = [nothingSeen(), nothingSeen()];
  const startMs = Date.now();
  await Promise.all(
    DELIVERIES.map(async ({ atMs, host, tick, ...run }) => {
      await sleep(atMs);
      const tickMs = firstTickMs + tick * 60_000;
      const { deliver } = hosts[host];
      await Promise.all([deliver(bare, tickMs, { ...run, isBare: true }), deliver(wrapped, tickMs, run)]);
    }),
  );
  return { startMs, without: historyOf(inOrder(bare)), within: historyOf(wrapped) };
}

/** Gives tokens to runs without a lock, numbered in the order in which they began. */
function inOrder({ runs, skips }: Seen): Seen {
  const sorted = runs.toSorted((a, b) => a.began[0] - b.began[0]);
  return { grants: [], runs: sorted.map((run, n) => ({ ...run, token: n + 1 })), skips };
}
