import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { type BackendStage, kindsOfRun, startBackends, warmUp } from '../support/backends/stage.js';
import { type Figures, figuresOf, startElectionDrill } from './election-drill.js';

/*
 * Real processes stand for election on a real store. The leader is killed several times and suspended once, and that of
 * another group is ended by SIGTERM several times. `npx tsx bench/failover.ts` repeats this for longer.
 */

const LEASE_MS = 1_000;
/** Longer than a drill waits for a successor. */
const LONG_LEASE_MS = 60_000;
const RETRY_EVERY_MS = 50;
const CANDIDATES = 5;
const ROUNDS = 3;
/** Added to bounds for a slow machine. */
const SLACK_MS = 10_000;

const KINDS = kindsOfRun('processes');

let stage: BackendStage;
beforeAll(async () => {
  // The leaders write to a Redis.
  stage = await startBackends(...new Set([...KINDS, 'redis' as const]));
  for (const kind of KINDS) await warmUp(stage.on(kind).store);
});
afterAll(() => stage.stop());

describe.concurrent.each(KINDS)('rows 41, 42: an election among processes on %s', (kind) => {
  const started = async (candidates: number, leaseMs: number, { onTestFinished }: TestContext) => {
    const { address: store } = stage.on(kind);
    const witnessUrl = stage.on('redis').engine.server.url;
    const options = { candidates, leaseMs, retryEveryMs: RETRY_EVERY_MS };
    const drill = await startElectionDrill({ store, witnessUrl, group: `group-${kind}-${leaseMs}`, ...options });
    onTestFinished(() => drill.stop());
    return drill;
  };

  test('fails over within the lease, has one leader at a time, and its terms rise', async (context) => {
    const drill = await started(CANDIDATES, LEASE_MS, context);
    // SIGKILL: the next candidate leads when the lease is over.
    const killed = await times(() => drill.failOver('SIGKILL'));
    print(kind, 'killed', killed);
    expect(killed.median).toBeLessThan(LEASE_MS + stage.on(kind).lateMs + RETRY_EVERY_MS + SLACK_MS);

    // Suspended past its lease: a successor leads, and the resumed process's writes are refused.
    const { late, resumedAtMs, terms: pair } = await drill.suspend();
    expect(pair[1]).toBeGreaterThan(pair[0]);
    expect(late.map(({ isAccepted }) => isAccepted)).toContain(false);
    expect(late.filter(({ isAccepted }) => isAccepted)).toEqual([]);
    expect(late.filter(({ assertedAtMs = 0 }) => assertedAtMs >= resumedAtMs)).toEqual([]);

    const { terms, ...tally } = await drill.tally();
    expect(tally).toMatchObject({ twoLeaders: 0, termsRise: true });
    expect(terms).toBeGreaterThanOrEqual(ROUNDS + 2);
  });

  test('fails over at the next try when its leader is stopped, long before the lease ends', async (context) => {
    const drill = await started(2, LONG_LEASE_MS, context);
    print(kind, 'stopped', await times(() => drill.failOver('SIGTERM')));

    expect(await drill.tally()).toMatchObject({ terms: ROUNDS + 1, twoLeaders: 0, termsRise: true });
  });
});

function print(kind: string, how: string, { median, worst }: Figures): void {
  process.stdout.write(`${kind}, leader ${how}: median ${median} ms, worst ${worst} ms\n`);
}

async function times(failOver: () => Promise<number>): Promise<Figures> {
  const taken: number[] = [];
  while (taken.length < ROUNDS) taken.push(await failOver());
  return figuresOf(taken);
}
