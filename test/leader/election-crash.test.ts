import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { fakeLockTable, type ManualClock } from 'single-execution/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { electionScene, LEASE, oneLeader, RETRY, START, twoCandidates } from './election-scene.js';

/** Its times are coarser: 2 s are added to what is stored, and 1 s where no response carries the server's time. */
const DYNAMODB_MS = 3_000;

function onDynamoDB(_clock: ManualClock) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  fakeLockTable(mockClient(client));
  return dynamoDBStore({ tableName: 'locks', client });
}

describe.each([
  ['a store that keeps the time', undefined, 0],
  ['DynamoDB', onDynamoDB, DYNAMODB_MS],
] as const)('row 41: on %s, when the leader is killed', (_, storeAt, coarseMs) => {
  test.each([0, 1, 2_500, 4_999, 5_000, 14_999, 15_000, 40_000])(
    'after %i ms, another leads within the lease and a retry, and not before the lease is over',
    async (ledMs) => {
      const { clock, candidate, leaders } = electionScene(storeAt);
      const [a, b, c] = [candidate('a'), candidate('b'), candidate('c')];
      a.election.start();
      await clock.advance(0);
      b.election.start();
      c.election.start();
      await clock.advance(ledMs);
      const [begun] = a.begun;
      a.host.kill();
      const killedMs = clock.now();
      while (leaders().length === 0 && clock.now() < killedMs + 60_000) await clock.advance(50);

      const renewedMs = ledMs - (ledMs % (LEASE / 3));
      // Parts of a millisecond add up to nearly a whole one.
      const tookOverMs = Math.round(clock.now());
      expect(tookOverMs).toBeGreaterThanOrEqual(START + renewedMs + LEASE);
      expect(tookOverMs).toBeLessThanOrEqual(killedMs + LEASE + RETRY + coarseMs);
      expect([...b.begun, ...c.begun]).toHaveLength(1);
      expect([...b.begun, ...c.begun][0]?.term).toBeGreaterThan(begun?.term ?? Number.NaN);
    },
  );
});

describe('a candidate whose retries are rare', () => {
  const rare = { retryEvery: 2 * LEASE };

  test('row 41: asks again when the lease of the dead is over, and leads', async () => {
    const { clock, leaders, a } = await twoCandidates({ b: rare });
    await clock.advance(0);
    a.host.kill();

    await clock.advance(LEASE - 1);
    expect(leaders()).toEqual([]);
    await clock.advance(200);
    expect(leaders()).toEqual(['b']);
  });

  test('does not ask all the time because its clock is far ahead', async () => {
    const { clock, candidate, leaders } = electionScene();
    const [a, b] = [candidate('a'), candidate('b', rare)];
    b.host.stepWall(3_600_000);
    a.election.start();
    await clock.advance(0);
    b.election.start();

    await clock.advance(4 * LEASE);
    expect(leaders()).toEqual(['a']);
    expect(b.observer.types().filter((type) => type === 'attempted').length).toBeLessThanOrEqual(5);
  });
});

test('row 41: terms rise over every kind of change: stop, kill, a throw, a lease that was lost', async () => {
  const { clock, candidate, leaders } = electionScene();
  const terms: number[] = [];
  for (let round = 0; round < 40; round++) {
    const leader = candidate(`candidate ${round}`, {
      onStarted: ({ term }) => {
        terms.push(term);
        if (round % 4 === 2 && terms.length % 2 === 0) throw new Error('boom');
      },
    });
    leader.election.start();
    await clock.advance(LEASE + 2 * RETRY);
    expect(leaders()).toEqual([leader.name]);
    if (round % 4 === 0) await leader.election.stop();
    if (round % 4 === 1) leader.host.kill();
    if (round % 4 === 2) leader.host.suspend();
    if (round % 4 === 3) leader.host.stepWall(LEASE);
    if (round % 4 === 3) void leader.election.stop();
  }

  expect(terms.length).toBeGreaterThanOrEqual(40);
  expect(terms.every((term, i) => i === 0 || term > (terms[i - 1] ?? Number.NaN))).toBe(true);
});

describe('a store out of reach', () => {
  const unhandled = vi.fn();
  beforeEach(() => void process.on('unhandledRejection', unhandled));
  afterEach(() => void process.off('unhandledRejection', unhandled));

  test('crashes nobody, rejects nothing unheard, is asked again, and has a leader when it is back', async () => {
    const { clock, candidate, leaders } = electionScene();
    const all = ['a', 'b'].map((name) => candidate(name));
    for (const { faults, checkIn } of all) {
      for (const verb of ['acquire', 'extend', 'release'] as const) {
        faults.next(verb, ...Array(30).fill('lose-request'), ...Array(5).fill('hang'), new Error('no such host'));
      }
      checkIn.mockImplementationOnce(() => {
        throw new Error('at once');
      });
      for (let i = 0; i < 5; i++) checkIn.mockRejectedValueOnce(new Error('no such host'));
    }
    for (const { election } of all) election.start();
    await clock.advance(60_000);
    expect(leaders()).toEqual([]);
    const asked = all.map(({ faults }) => faults.calls.length);
    for (const calls of asked) expect(calls).toBeGreaterThanOrEqual(20);
    for (const calls of asked) expect(calls).toBeLessThanOrEqual(40);
    await clock.advance(600_000);

    expect(leaders()).toHaveLength(1);
    expect(await all[0]?.election.members()).toHaveLength(2);
    // Rejections are told to the process between two turns of its loop.
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('at the end of a term: an onStarted that fails later than its signal is heard all the same', async () => {
    const { clock, election, observer, host } = await oneLeader({
      onStarted: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => host.clock.setTimer(() => reject(new Error('late')), 1_000));
        }),
    });
    const stopped = election.stop();
    await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(1_000);
    await stopped;
    await new Promise((resolve) => setImmediate(resolve));

    expect(observer.types().at(-1)).toBe('failed');
    expect(unhandled).not.toHaveBeenCalled();
  });
});
