import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ElectionDrill, type Figures, figuresOf, startElectionDrill } from '../support/election-drill.js';
import { KINDS, type RealStores, startRealStores } from '../support/real-stores.js';
import { lateMs } from '../support/store-address.js';

/*
 * Five real processes stand for election on a real store, and the leader is killed, stopped and ended again and again.
 * `npx tsx bench/failover.ts` does the same for longer.
 */

const LEASE_MS = 1_000;
const RETRY_EVERY_MS = 50;
const CANDIDATES = 5;
const ROUNDS = 3;
/** How much sooner the next one leads after a leader that ends in good order: the rest of its lease, but for a renewal. */
const SOONER_MS = LEASE_MS / 2;
/** Allowed for what a loaded machine adds. */
const SLACK_MS = 3_000;

let stores: RealStores;
beforeAll(async () => {
  stores = await startRealStores();
});
afterAll(() => stores.stop());

describe.concurrent.each(KINDS)('rows 41, 42: an election among five processes on %s', (kind) => {
  let drill: ElectionDrill;
  beforeAll(async () => {
    const options = { candidates: CANDIDATES, leaseMs: LEASE_MS, retryEveryMs: RETRY_EVERY_MS };
    const store = stores.addresses[kind];
    drill = await startElectionDrill({ store, witnessUrl: stores.redisUrl, group: `group-${kind}`, ...options });
  });
  afterAll(() => drill.stop());

  test('fails over within the lease, has one leader at a time, and its terms rise', async () => {
    // 1. Killed: the next one leads when the lease is over.
    const killed = await times(() => drill.failOver('SIGKILL'));
    print(kind, 'killed', killed);
    expect(killed.median).toBeLessThan(LEASE_MS + lateMs(stores.addresses[kind]) + RETRY_EVERY_MS + SLACK_MS);

    // 2. Ended in good order: the next one leads when it next asks.
    const ended = await times(() => drill.failOver('SIGTERM'));
    print(kind, 'stopped', ended);
    expect(ended.median).toBeLessThan(killed.median - SOONER_MS);

    // 3. Suspended past its lease: a successor leads, and what it writes when it goes on is refused.
    const { late, resumedAtMs, terms: pair } = await drill.suspend();
    expect(pair[1]).toBeGreaterThan(pair[0]);
    expect(late.map(({ isAccepted }) => isAccepted)).toContain(false);
    expect(late.filter(({ isAccepted }) => isAccepted)).toEqual([]);
    expect(late.filter(({ assertedAtMs = 0 }) => assertedAtMs >= resumedAtMs)).toEqual([]);

    const { terms, ...tally } = await drill.tally();
    expect(tally).toMatchObject({ twoLeaders: 0, termsRise: true });
    expect(terms).toBeGreaterThanOrEqual(2 * ROUNDS + 2);
  });
});

function print(kind: string, how: string, { median, worst }: Figures): void {
  process.stdout.write(`${kind}, leader ${how}: median ${median} ms, worst ${worst} ms, lease ${LEASE_MS} ms\n`);
}

async function times(failOver: () => Promise<number>): Promise<Figures> {
  const taken: number[] = [];
  while (taken.length < ROUNDS) taken.push(await failOver());
  return figuresOf(taken);
}
