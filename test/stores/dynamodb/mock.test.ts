import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { mockedLocks } from './mocked-locks.js';
import { ANSWERED, refused, timeout } from './sdk-errors.js';

const NOW = Date.UTC(2026, 0, 1);
const TICK = Date.UTC(2026, 0, 1);

/** The item of a grant to another holder. */
const held = {
  attemptId: 'a-foreign',
  state: 'held',
  fencingToken: NOW,
  lockedAt: NOW - 60_000,
  leaseMs: 120_000,
  lockUntil: NOW + 62_000,
  lockedBy: 'another function',
  v: 1,
};
/**
 * The item of a grant whose holder has died. Its lease ended longer ago than `maxClockSkew`, which is added because a
 * mock sends no Date header.
 */
const dead = { ...held, lockUntil: NOW - 1_000 };

/** Matchers of each verb's command, for `mock.on(UpdateCommand, …)`. */
const TAKEOVER: Partial<UpdateCommandInput> = { ExpressionAttributeValues: { ':oldState': 'held' } };

const CANCEL: Partial<UpdateCommandInput> = { UpdateExpression: 'SET barredAttempt = :att' };

const sendDigest = () => 'sent';
const fail = () => expect.unreachable();

describe('requests', () => {
  test('row 35: the one write that takes the lock decides about the overlap and the tick', async () => {
    const { run, mock, sent } = mockedLocks();

    await run(sendDigest, { tick: TICK });

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
    expect(await run(sendDigest, { tick: TICK })).toMatchObject({ status: 'skipped', reason: 'already-executed' });
    expect(sent()).toEqual(['acquire', 'release', 'acquire']);
  });

  test("the key is made of the table's names and the prefix, the same for every verb", async () => {
    const { client, run, mock, table } = mockedLocks();
    table.put('unrelated', {});
    const keys = { partitionKey: 'pk', sortKey: 'sk', keyPrefix: 'prod#' };
    mock.on(UpdateCommand).resolves(ANSWERED);

    await run(sendDigest, {}, { client, ...keys });

    expect(mock.calls().map(({ args }) => (args[0].input as UpdateCommandInput).Key)).toEqual([
      { pk: 'prod#digest', sk: 'lock' },
      { pk: 'prod#digest', sk: 'lock' },
    ]);
  });

  test('F18 a name that is too long with its prefix is refused before anything is sent', async () => {
    const { run, sent } = mockedLocks();
    const keyPrefix = 'p'.repeat(29);

    await expect(run(sendDigest, { name: 'n'.repeat(100), onStoreError: 'run' }, { keyPrefix })).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'INVALID_NAME',
      retryable: false,
      message: expect.stringContaining('129 bytes in UTF-8; shorten it to at most 128, the prefix included'),
    });
    expect(sent()).toEqual([]);
  });
});

// test/faults plays these faults and others for each verb on DynamoDB Local.
describe('an answer that never came', () => {
  test('F4 a client that never settles costs 5 s and 2 s for the cancel, and leaves no timer', async () => {
    const { run, mock, clock, sent, observer } = mockedLocks();
    mock.callsFake(() => new Promise(() => {}));

    await expect(run(sendDigest)).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'UNAVAILABLE',
      retryable: true,
    });

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

describe('takeover', () => {
  test.each([
    ['somebody else was faster', { ...held, attemptId: 'a-faster' }],
    ['somebody else was faster and died as well', { ...dead, attemptId: 'a-faster' }],
  ])('refused because %s: a skip, no second takeover, no cancel', async (_, item) => {
    const { run, mock, table, sent } = mockedLocks();
    table.put('digest', dead);
    mock.on(UpdateCommand, TAKEOVER).rejectsOnce(refused(item));

    const holder = { lockedBy: 'another function' };
    expect(await run(sendDigest)).toMatchObject({ status: 'skipped', reason: 'locked', holder });
    expect(sent()).toEqual(['acquire', 'takeover']);
  });

  test('refused after an acquire of unknown fate: a cancel', async () => {
    const { run, mock, table, sent } = mockedLocks();
    table.put('digest', dead);
    mock.rejectsOnce(timeout());
    mock.on(UpdateCommand, TAKEOVER).rejectsOnce(refused({ ...held, attemptId: 'a-faster' }));

    expect(await run(sendDigest)).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(sent()).toEqual(['acquire', 'acquire', 'takeover', 'cancel']);
  });

  test('refused by a pause that came after the acquire was judged', async () => {
    const { run, mock, table, sent } = mockedLocks();
    table.put('digest', dead);
    mock.rejectsOnce(refused(dead));
    const paused = { pausedUntil: NOW + 60_000, pausedBy: 'ada' };
    table.put('digest', { ...dead, ...paused });

    expect(await run(sendDigest)).toMatchObject({ status: 'skipped', reason: 'paused' });
    expect(sent()).toEqual(['acquire', 'takeover']);
  });
});

test('a release is dated by the monotonic clock since the grant, whatever the wall clock does meanwhile', async () => {
  const { run, table, clock } = mockedLocks();
  await run(() => clock.stepWall(-3_600_000), { lockAtLeastFor: 0 });

  expect(table.item('digest')).toMatchObject({ lockedAt: NOW, releasedAt: NOW, lockUntil: NOW });
});
