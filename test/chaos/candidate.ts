/*
 * A process that stands for election until SIGTERM. While it leads, it writes to the witness without pause, and asserts
 * before each write that it leads. When it has lost the lead, it writes once more, as a leader that ignores its signal
 * would.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createLeaderElection, type Leadership } from 'single-execution/leader';
import type { StoreAddress } from '../support/backends/backend.js';
import { openStore } from '../support/backends.js';
import { order, say } from '../support/told.js';
import { witness } from './witness.js';

export interface CandidateOrder {
  readonly store: StoreAddress;
  readonly witnessUrl: string;
  readonly group: string;
  readonly candidate: string;
  readonly leaseMs: number;
  readonly retryEveryMs: number;
}

const WRITE_EVERY_MS = 5;

const { store: address, witnessUrl, group, candidate, leaseMs, retryEveryMs } = order<CandidateOrder>();

const redis = new Redis(witnessUrl);
const { write } = witness(redis, group);
const { store, close } = await openStore(address);

async function reign({ term, signal, assertLeader }: Leadership): Promise<void> {
  say('leads', { term });
  try {
    while (!signal.aborted) {
      // Read before: if it leads when it asserts, it led at this instant, however long the process stands in between.
      const atMs = Date.now();
      assertLeader();
      await write(term, candidate, atMs);
      await sleep(WRITE_EVERY_MS);
    }
  } finally {
    const reason = signal.reason instanceof Error ? signal.reason.name : 'none';
    say('stepped down', { term, reason });
    if (reason === 'LockLostError') say('wrote deaf', { term, word: await write(term, candidate, undefined) });
  }
}

const election = createLeaderElection({
  name: group,
  store,
  candidate,
  lease: leaseMs,
  retryEvery: retryEveryMs,
  onStarted: reign,
  observers: [],
});
election.start();
say('stands');

process.once('SIGTERM', async () => {
  await election.stop();
  close();
  redis.disconnect();
  process.stdin.destroy();
});
// End with the parent process.
process.stdin.on('end', () => process.exit()).resume();
