import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BackendStage, kindsOfRun, startBackends, warmUp } from '../support/backends/stage.js';
import { type ElectionDrill, type Figures, figuresOf, startElectionDrill } from './election-drill.js';

/*
 * Five real processes stand for election on a real store. The leader is killed several times, ended by SIGTERM several
 * times, and suspended once. `npx tsx bench/failover.ts` repeats this for longer.
 */

const LEASE_MS = 1_000;
const RETRY_EVERY_MS = 50;
const CANDIDATES = 5;
const ROUNDS = 3;
/** How much sooner a successor leads after SIGTERM than after SIGKILL: it does not wait for the lease to end. */
const SOONER_MS = LEASE_MS / 2;
/** Added to bounds for a slow machine. */
const SLACK_MS = 3_000;

const KINDS = kindsOfRun('processes');

let stage: BackendStage;
beforeAll(async () => {
  // The leaders write to a Redis.
  stage = await startBackends(...new Set([...KINDS, 'redis' as const]));
  for (const kind of KINDS) await warmUp(stage.on(kind).store);
});
afterAll(() => stage.stop());

describe.concurrent.each(KINDS)('rows 41, 42: an election among five processes on %s', (kind) => {
  let drill: ElectionDrill;
  beforeAll(async () => {
    const options = { candidates: CANDIDATES, leaseMs: LEASE_MS, retryEveryMs: RETRY_EVERY_MS };
    const { address: store } = stage.on(kind);
    const witnessUrl = stage.on('redis').engine.server.url;
    drill = await startElectionDrill({ store, witnessUrl, group: `group-${kind}`, ...options });
  });
  afterAll(() => drill.stop());

  test('fails over within the lease, has one leader at a time, and its terms rise', async () => {
    // 1. SIGKILL: the next candidate leads when the lease is over.
    const killed = await times(() => drill.failOver('SIGKILL'));
    print(kind, 'killed', killed);
    expect(killed.median).toBeLessThan(LEASE_MS + stage.on(kind).lateMs + RETRY_EVERY_MS + SLACK_MS);

    // 2. SIGTERM: the next candidate leads at its next try.
    const ended = await times(() => drill.failOver('SIGTERM'));
    print(kind, 'stopped', ended);
    expect(ended.median).toBeLessThan(killed.median - SOONER_MS);

    // 3. Suspended past its lease: a successor leads, and the resumed process's writes are refused.
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
