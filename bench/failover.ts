/**
 * Measures how long five processes have no leader after the leader is killed, shut down cleanly, or suspended: `npx tsx
 * bench/failover.ts [rounds]`. Leaders write to a Redis, the witness, which refuses writes with an older term. See
 * test/chaos/election-drill.ts.
 */

import { figuresOf, type Suspended, startElectionDrill } from '../test/chaos/election-drill.js';
import { redis } from '../test/support/backends/redis.js';
import { backendOf, freshPlace, kindsWith } from '../test/support/backends.js';

const ROUNDS = Number(process.argv[2] ?? 20);
const LEASE_MS = 1_000;
const RETRY_EVERY_MS = 50;

const witness = await redis.start();
try {
  for (const kind of kindsWith('processes')) {
    const engine = await backendOf(kind).start();
    const store = await freshPlace(engine);
    const options = { candidates: 5, leaseMs: LEASE_MS, retryEveryMs: RETRY_EVERY_MS };
    const drill = await startElectionDrill({ store, witnessUrl: witness.server.url, group: kind, ...options });
    try {
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const times: number[] = [];
        while (times.length < ROUNDS) times.push(await drill.failOver(signal));
        const { median, worst } = figuresOf(times);
        console.log(
          `${kind} ${signal} x ${ROUNDS}: median ${median} ms, worst ${worst} ms (lease ${LEASE_MS} ms, retryEvery ${RETRY_EVERY_MS} ms)`,
        );
      }
      const suspensions: Suspended[] = [];
      while (suspensions.length < ROUNDS) suspensions.push(await drill.suspend());
      const { median, worst } = figuresOf(suspensions.map(({ tookMs }) => tookMs));
      const late = suspensions.flatMap((suspension) => suspension.late);
      const lateAccepted = late.filter(({ isAccepted }) => isAccepted).length;
      console.log(
        `${kind} SIGSTOP x ${ROUNDS}: median ${median} ms, worst ${worst} ms, ${lateAccepted} of ${late.length} writes after SIGCONT accepted`,
      );
      const { accepted, refused, terms, twoLeaders, termsRise } = await drill.tally();
      console.log(
        `${kind}: ${terms} terms, two leaders ${twoLeaders} times, terms rise: ${termsRise}, ${accepted} writes accepted, ${refused} refused`,
      );
    } finally {
      await drill.stop();
      await engine.stop();
    }
  }
} finally {
  await witness.stop();
}
