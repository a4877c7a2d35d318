import { GetCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { mockedLocks } from './mocked-locks.js';
import { ANSWERED, refused } from './sdk-errors.js';

const NOW = Date.UTC(2026, 0, 1);
/** The item of a grant whose holder has died. */
const dead = {
  attemptId: 'a-dead',
  state: 'held',
  fencingToken: NOW - 60_000,
  lockedAt: NOW - 60_000,
  leaseMs: 30_000,
  lockUntil: NOW - 30_000,
  lockedBy: 'another function',
  v: 1,
};
const held = { ...dead, attemptId: 'a-foreign', lockUntil: NOW + 60_000 };

const TAKEOVER: Partial<UpdateCommandInput> = { ExpressionAttributeValues: { ':oldState': 'held' } };

const silent = () => new Promise<never>(() => {});
const fail = () => expect.unreachable();

describe('the time of a takeover', () => {
  // A random number of 0 makes the pause between two tries 0.
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test('is what the acquire has left of its budget', async () => {
    const { run, mock, table, clock, sent } = mockedLocks();
    table.put('digest', dead);
    await clock.advance(60_000);
    mock.on(UpdateCommand, TAKEOVER).callsFake(silent);

    await expect(run(fail)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(sent()).toEqual(['acquire', ...Array(5).fill('takeover'), 'cancel']);
    expect(clock.monotonic()).toBe(65_000);
  });

  test('is a whole try where the acquire has used up its budget', async () => {
    const { run, mock, table, clock, sent } = mockedLocks();
    table.put('digest', dead);
    for (let tries = 0; tries < 4; tries++) mock.callsFakeOnce(silent);
    mock.callsFakeOnce(async () => {
      await pass(clock, 900);
      throw refused(dead);
    });
    mock.on(UpdateCommand, TAKEOVER).callsFakeOnce(async () => {
      await pass(clock, 800);
      return ANSWERED;
    });

    expect(await run(() => sent().slice(-2))).toMatchObject({ status: 'executed', value: ['acquire', 'takeover'] });
  });

  test('is no longer than the acquire’s own where the deadline is near', async () => {
    const { run, mock, table, clock, sent } = mockedLocks();
    table.put('digest', dead);
    mock.on(UpdateCommand, TAKEOVER).callsFake(silent);

    await expect(run(fail, { deadline: NOW + 400 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(sent()).toEqual(['acquire', 'takeover', 'cancel']);
    expect(clock.monotonic()).toBe(200);
  });
});

test('F1 applied, its answer lost: the grant counts from the takeover, not from the acquire before it', async () => {
  const { run, mock, table, clock, sent, observer } = mockedLocks();
  table.put('digest', dead);
  mock.callsFakeOnce(async () => {
    await pass(clock, 400);
    table.loseNextResponse();
    throw refused(dead);
  });

  expect(await run(() => {})).toMatchObject({ status: 'executed', lockedAt: new Date(NOW + 400) });
  expect(sent()).toEqual(['acquire', 'takeover', 'takeover', 'release']);
  const [released] = observer.events.filter(({ type }) => type === 'released');
  expect(released).toMatchObject({ heldMs: expect.any(Number) });
  expect(released?.type === 'released' && released.heldMs).toBeLessThan(400);
});

test('of a lock whose record was cut down by hand', async () => {
  const { run, table } = mockedLocks();
  table.put('digest', { state: 'held', lockUntil: NOW - 30_000 });

  expect(await run(() => 'sent')).toMatchObject({ status: 'executed', value: 'sent' });
});

test('a refusal that no record accounts for may fare better at another try', async () => {
  const { run, mock } = mockedLocks();
  mock.rejectsOnce(refused({ barredAttempt: 'a-foreign' }));

  await expect(run(fail)).rejects.toMatchObject({ code: 'UNAVAILABLE', operation: 'acquire', retryable: true });
});

describe('a refusal without its item', () => {
  const bare = () => {
    const locks = mockedLocks();
    locks.mock.rejectsOnce(refused());
    return locks;
  };

  test('is read, consistently', async () => {
    const { run, mock, table, sent } = bare();
    table.put('digest', held);

    expect(await run(fail)).toMatchObject({
      status: 'skipped',
      reason: 'locked',
      holder: { lockedBy: 'another function' },
    });
    expect(sent()).toEqual(['acquire', 'read']);
    expect(mock.commandCalls(GetCommand)[0]?.args[0].input).toMatchObject({ ConsistentRead: true });
  });

  test('means that there is none, where the role may not read', async () => {
    const { run, mock, sent } = bare();
    mock.on(GetCommand).rejects(Object.assign(new Error('no'), { name: 'AccessDeniedException' }));

    await expect(run(fail)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    expect(sent()).toEqual(['acquire', 'read']);
  });

  test('returns nothing if the read fails', async () => {
    const { run, mock } = bare();
    mock.on(GetCommand).rejects(Object.assign(new Error('no'), { name: 'ResourceNotFoundException' }));

    await expect(run(fail)).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND' });
  });
});
