import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Lease, LockLostError } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { describe, expect, test } from 'vitest';
import { listOf } from '../../../src/core/record/open-ticks.js';
import { storeCall } from '../../support/contract-harness.js';
import { says } from '../../support/settled.js';
import { ANSWERED, held, mockedLocks, NOW, refused, timeout } from './mocked-locks.js';

const CANCEL: Partial<UpdateCommandInput> = { UpdateExpression: 'SET barredAttempt = :att' };

const sendDigest = () => 'sent';
const fail = () => expect.unreachable();

describe('requests', () => {
  test('row 35: the one write that takes the lock decides about the overlap and the tick', async () => {
    const { run, mock, sent } = mockedLocks();

    await run(sendDigest, { tick: NOW });

    const [acquire] = mock.commandCalls(UpdateCommand);
    const clauses = acquire?.args[0].input.ConditionExpression?.split(' AND (').map((clause) =>
      clause.replace(/^\(/, ''),
    );
    expect(clauses?.slice(0, 2)).toEqual([
      'attribute_not_exists(lockUntil) OR (#state <> :held AND lockUntil <= :now) OR (#state = :released AND #result = :succeeded AND releasedAt <= :now',
      'attribute_not_exists(tick) OR lockedAt >= :tick OR doneTick > :tick OR contains(failedTicks, :listed))))',
    ]);
    expect(clauses).toContain(
      'attribute_not_exists(doneTick) OR doneTick < :tick OR (doneTick > :tick AND contains(openTicks, :listed)))',
    );
    expect(sent()).toEqual(['acquire', 'release']);
    expect(await run(sendDigest, { tick: NOW })).toMatchObject({ status: 'skipped', reason: 'already-executed' });
    expect(sent()).toEqual(['acquire', 'release', 'acquire']);
  });

  test('F18 a name that is too long with its prefix is refused before anything is sent', async () => {
    const { run, sent } = mockedLocks();
    const keyPrefix = 'p'.repeat(29);

    await expect(run(sendDigest, { name: 'n'.repeat(100), onStoreError: 'run' }, { keyPrefix })).rejects.toMatchObject(
      says('INVALID_NAME', '129 bytes in UTF-8; shorten it to at most 128, the prefix included', { retryable: false }),
    );
    expect(sent()).toEqual([]);
  });
});

// test/faults plays these faults and others for each verb on DynamoDB Local.
describe('an answer that never came', () => {
  test('F4 a client that never settles costs 5 s and 2 s for the cancel, and leaves no timer', async () => {
    const { run, mock, clock, sent, observer } = mockedLocks();
    mock.callsFake(() => new Promise(() => {}));

    await expect(run(sendDigest)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    expect(clock.monotonic()).toBeLessThanOrEqual(7_100);
    expect(sent().at(-1)).toBe('cancel');
    expect(clock.pendingTimers()).toBe(0);
    expect(observer.types()).toEqual(['attempted', 'acquire-failed']);
  });

  test('the client tried twice by itself and somebody else holds the lock: the attempt is barred', async () => {
    const { run, mock, table, sent } = mockedLocks();
    table.put('digest', held);
    mock.rejectsOnce(refused(held, 2));

    expect(await run(sendDigest)).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(sent()).toEqual(['acquire', 'cancel']);
    expect(table.item('digest')).toMatchObject({ attemptId: 'a-foreign', barredAttempt: expect.any(String) });
  });

  test.each(['throw', 'skip', 'run'] as const)(
    "with onStoreError '%s', nothing runs that the store refused before it fell silent",
    async (onStoreError) => {
      const { run, mock, table } = mockedLocks();
      table.put('digest', held);
      mock.rejectsOnce(timeout());
      mock.on(UpdateCommand, CANCEL).rejects(timeout());

      await expect(run(fail, { onStoreError })).rejects.toMatchObject({ code: 'UNSETTLED', retryable: true });
    },
  );

  test('a signature refused for its time is sent again, with the time that the client has set right', async () => {
    const { run, mock, sent } = mockedLocks();
    const skewed = Object.assign(new Error('Signature expired'), { name: 'InvalidSignatureException' });
    mock.rejectsOnce(Object.assign(skewed, { $metadata: { httpStatusCode: 400, clockSkewCorrected: true } }));

    expect(await run(sendDigest)).toMatchObject({ status: 'executed' });
    expect(sent()).toEqual(['acquire', 'acquire', 'release']);
  });
});

// The contract proves that an extension which was applied before is extended, and the other conditions of a mark.
test.each([
  ['somebody else holds, for longer', { attemptId: 'a-foreign', lockUntil: NOW + 362_000 }],
  ['was released, and is kept for longer', { state: 'released', lockUntil: NOW + 362_000 }],
  ['is held for less', { lockUntil: NOW + 302_000 - 1 }],
])('F51 an extension by five minutes that is refused has lost the lock that %s', async (_, item) => {
  const { run, mock, observer } = mockedLocks();
  const extended = run(async ({ extend }) => {
    const { ':att': attemptId } = (mock.call(0).args[0].input as UpdateCommandInput).ExpressionAttributeValues ?? {};
    const ours = { attemptId, state: 'held', lockUntil: NOW + 302_000 };
    mock.on(UpdateCommand, { UpdateExpression: 'SET lockUntil = :until' }).rejects(refused({ ...ours, ...item }));
    await extend('5m');
  });

  await expect(extended).rejects.toThrow(LockLostError);
  expect(observer.types()).toContain('lost');
  expect(observer.types()).not.toContain('extended');
});

describe('a mark', () => {
  const minute = (n: number) => NOW + n * 60_000;
  /** The end of lease that a mark asks for at time NOW, with the lease pad. */
  const UNTIL = NOW + 62_000;
  /** A grant of minute 5: minute 2 is done, two older minutes are listed as open, and a newer minute has failed. */
  const LEASE: Lease = {
    ...{ name: 'digest', attemptId: 'a1', fencingToken: 7, leaseMs: 60_000 },
    ...{ lockedAtMs: NOW, lockUntilMs: NOW + 30_000, firstSentWall: NOW, firstSentMono: 0 },
    ...{ tickMs: minute(5), doneTickMs: minute(2), openTicksMs: [minute(0), minute(1)], failedTicksMs: [minute(3)] },
  };
  const ours = { attemptId: 'a1', state: 'held', fencingToken: 7, lockedAt: NOW, lockUntil: UNTIL };
  /** The record after minute 0 was marked under that lease. */
  const marked = { ...ours, doneTick: minute(2), openTicks: listOf([minute(1)]) };

  /** Marks minute 0 under that lease. With an item, DynamoDB refuses the write and returns the item. */
  async function mark(item?: object) {
    const { client, mock, clock } = mockedLocks();
    if (item) mock.on(UpdateCommand).rejects(refused(item));
    else mock.on(UpdateCommand).resolves(ANSWERED);
    const store = dynamoDBStore({ tableName: 'locks', client });
    const result = await store.mark(LEASE, { tickMs: minute(0), leaseMs: 60_000 }, storeCall(clock));
    return { result, inputs: mock.commandCalls(UpdateCommand).map(({ args }) => args[0].input) };
  }

  test('is one write, on condition that its own grant holds the lock, of the lists that change', async () => {
    const condition = /^attemptId = :att AND #state = :held AND fencingToken = :token AND /;

    expect((await mark()).inputs).toMatchObject([
      {
        UpdateExpression: 'SET lockUntil = :lockUntil, doneTick = :doneTick, openTicks = :openTicks',
        ConditionExpression: expect.stringMatching(condition),
        ExpressionAttributeValues: { ':att': 'a1', ':token': 7 },
      },
    ]);
  });

  test('that is refused has been applied before, where the tick is open no more: the lease ends as recorded', async () => {
    const { result } = await mark({ ...marked, lockUntil: UNTIL - 1 });

    expect(result).toMatchObject({ status: 'marked', lease: { lockUntilMs: UNTIL - 1, openTicksMs: [minute(1)] } });
  });

  test('F14 that is refused ends no lease at what is no instant', async () => {
    const corrupt = { name: 'CorruptLockError', attribute: 'lockUntil' };

    await expect(mark({ ...marked, lockUntil: 'soon' })).rejects.toMatchObject(corrupt);
  });

  test.each([
    ['is a second grant of our attempt', { fencingToken: 8 }],
    ['somebody else holds', { attemptId: 'a-foreign' }],
    ['was released', { state: 'released' }],
    ['has the tick as open', { openTicks: listOf([minute(0)]) }],
  ])('that is refused has lost the lock that %s', async (_, item) => {
    expect((await mark({ ...marked, ...item })).result).toEqual({ status: 'lost' });
  });
});

test('a release is dated by the monotonic clock since the grant, whatever the wall clock does meanwhile', async () => {
  const { run, table, clock } = mockedLocks();
  await run(() => clock.stepWall(-3_600_000), { lockAtLeastFor: 0 });

  expect(table.item('digest')).toMatchObject({ lockedAt: NOW, releasedAt: NOW, lockUntil: NOW });
});
