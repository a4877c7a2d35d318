/**
 * Measures how long five processes have no leader after the leader is killed, shut down cleanly, or suspended: `npx tsx
 * bench/failover.ts [rounds]`. Leaders write to a Redis, the witness, which refuses writes with an older term. See
 * test/support/election-drill.ts.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import { figuresOf, type Suspended, startElectionDrill } from '../test/support/election-drill.js';
import { startRedisServer } from '../test/support/redis-server.js';
import type { StoreAddress } from '../test/support/store-address.js';

const ROUNDS = Number(process.argv[2] ?? 20);
const LEASE_MS = 1_000;
const RETRY_EVERY_MS = 50;
const TABLE = 'bench-locks';

const [redis, local] = await Promise.all([startRedisServer(), startDynamoDBLocal()]);
try {
  const { endpoint } = local;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  await createLockTable(client, { tableName: TABLE });
  client.destroy();

  const stores: readonly StoreAddress[] = [
    { kind: 'redis', url: redis.url },
    { kind: 'dynamodb', endpoint, tableName: TABLE },
  ];
  for (const store of stores) {
    const options = { candidates: 5, leaseMs: LEASE_MS, retryEveryMs: RETRY_EVERY_MS };
    const drill = await startElectionDrill({ store, witnessUrl: redis.url, group: store.kind, ...options });
    try {
      for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
        const times: number[] = [];
        while (times.length < ROUNDS) times.push(await drill.failOver(signal));
        const { median, worst } = figuresOf(times);
        console.log(
          `${store.kind} ${signal} x ${ROUNDS}: median ${median} ms, worst ${worst} ms (lease ${LEASE_MS} ms, retryEvery ${RETRY_EVERY_MS} ms)`,
        );
      }
      const suspensions: Suspended[] = [];
      while (suspensions.length < ROUNDS) suspensions.push(await drill.suspend());
      const { median, worst } = figuresOf(suspensions.map(({ tookMs }) => tookMs));
      const late = suspensions.flatMap((suspension) => suspension.late);
      const lateAccepted = late.filter(({ isAccepted }) => isAccepted).length;
      console.log(
        `${store.kind} SIGSTOP x ${ROUNDS}: median ${median} ms, worst ${worst} ms, ${lateAccepted} of ${late.length} writes after SIGCONT accepted`,
      );
      const { accepted, refused, terms, twoLeaders, termsRise } = await drill.tally();
      console.log(
        `${store.kind}: ${terms} terms, two leaders ${twoLeaders} times, terms rise: ${termsRise}, ${accepted} writes accepted, ${refused} refused`,
      );
    } finally {
      await drill.stop();
    }
  }
} finally {
  await Promise.all([redis.stop(), local.stop()]);
}
