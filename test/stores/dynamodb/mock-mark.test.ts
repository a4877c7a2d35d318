import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Lease } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { describe, expect, test } from 'vitest';
import { listOf } from '../../../src/core/record/open-ticks.js';
import { storeCall } from '../../support/contract-harness.js';
import { mockedLocks } from './mocked-locks.js';
import { ANSWERED, refused } from './sdk-errors.js';

const NOW = Date.UTC(2026, 0, 1);
const minute = (n: number) => NOW + n * 60_000;
const LEASE_MS = 60_000;
/** The end of lease that a mark asks for at time NOW, with the lease pad. */
const UNTIL = NOW + LEASE_MS + 2_000;

/** A grant of minute 5: minute 2 is done, two older minutes are listed as open, and a newer minute has failed. */
const LEASE: Lease = {
  name: 'digest',
  attemptId: 'a1',
  fencingToken: 7,
  leaseMs: LEASE_MS,
  lockedAtMs: NOW,
  lockUntilMs: NOW + 30_000,
  tickMs: minute(5),
  doneTickMs: minute(2),
  openTicksMs: [minute(0), minute(1)],
  failedTicksMs: [minute(3)],
  firstSentWall: NOW,
  firstSentMono: 0,
};

/** Marks minute `n` under that lease. If `item` is given, DynamoDB refuses the write and returns the item. */
async function mark(n: number, item?: object) {
  const { client, mock, clock } = mockedLocks();
  if (item) mock.on(UpdateCommand).rejects(refused(item));
  else mock.on(UpdateCommand).resolves(ANSWERED);
  const store = dynamoDBStore({ tableName: 'locks', client });
  const result = await store.mark(LEASE, { tickMs: minute(n), leaseMs: LEASE_MS }, storeCall(clock));
  return { result, inputs: mock.commandCalls(UpdateCommand).map(({ args }) => args[0].input) };
}

// The contract proves the other conditions of a mark, and what it does to a record.
test('a mark is one write, on condition that its own grant holds the lock, of the lists that change', async () => {
  const { inputs } = await mark(0);

  expect(inputs).toMatchObject([
    {
      UpdateExpression: 'SET lockUntil = :lockUntil, doneTick = :doneTick, openTicks = :openTicks',
      ConditionExpression: expect.stringMatching(/^attemptId = :att AND #state = :held AND fencingToken = :token AND /),
      ExpressionAttributeValues: { ':att': 'a1', ':token': 7 },
    },
  ]);
});

describe('a mark that is refused', () => {
  const ours = { attemptId: 'a1', state: 'held', fencingToken: 7, lockedAt: NOW, lockUntil: UNTIL };
  const marked = { ...ours, doneTick: minute(2), openTicks: listOf([minute(1)]) };

  test('has been applied before, where the lock is ours and the tick is open no more: the lease ends as recorded', async () => {
    const { result } = await mark(0, { ...marked, lockUntil: UNTIL - 1 });

    expect(result).toMatchObject({ status: 'marked', lease: { lockUntilMs: UNTIL - 1, openTicksMs: [minute(1)] } });
  });

  test('F14 ends no lease at what is no instant', async () => {
    await expect(mark(0, { ...marked, lockUntil: 'soon' })).rejects.toMatchObject({
      name: 'CorruptLockError',
      attribute: 'lockUntil',
    });
  });

  test.each([
    ['is a second grant of our attempt', { fencingToken: 8 }],
    ['somebody else holds', { attemptId: 'a-foreign' }],
    ['was released', { state: 'released' }],
    ['has the tick as open', { openTicks: listOf([minute(0)]) }],
  ])('has lost the lock that %s', async (_, item) => {
    expect((await mark(0, { ...marked, ...item })).result).toEqual({ status: 'lost' });
  });
});
