import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { ANSWERED, dead, held, mockedLocks, NOW, refused, TAKEOVER, timeout } from './mocked-locks.js';

const silent = () => new Promise<never>(() => {});
const fail = () => expect.unreachable();
const faster = { ...held, attemptId: 'a-faster' };

/** Locks of which `digest` has this item. */
function locksWith(item: object) {
  const locks = mockedLocks();
  locks.table.put('digest', { ...item });
  return locks;
}

describe('the time of a takeover', () => {
  // A random number of 0 makes the pause between two tries 0.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
  afterEach(() => void vi.restoreAllMocks());

  test.each([
    ['what the acquire has left of its budget', 60_000, {}, 5, 65_000],
    ['no longer than the acquire’s own where the deadline is near', 0, { deadline: NOW + 400 }, 1, 200],
  ])('is %s', async (_, startMs, options, takeovers, endMono) => {
    const { run, mock, clock, sent } = locksWith(dead);
    await clock.advance(startMs);
    mock.on(UpdateCommand, TAKEOVER).callsFake(silent);

    await expect(run(fail, options)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(sent()).toEqual(['acquire', ...Array(takeovers).fill('takeover'), 'cancel']);
    expect(clock.monotonic()).toBe(endMono);
  });

  test('is a whole try where the acquire has used up its budget', async () => {
    const { run, mock, clock, sent } = locksWith(dead);
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
});

test('F1 applied, its answer lost: the grant counts from the takeover, not from the acquire before it', async () => {
  const { run, mock, table, clock, sent, observer } = locksWith(dead);
  mock.callsFakeOnce(async () => {
    await pass(clock, 400);
    table.loseNextResponse();
    throw refused(dead);
  });

  expect(await run(() => {})).toMatchObject({ status: 'executed', lockedAt: new Date(NOW + 400) });
  expect(sent()).toEqual(['acquire', 'takeover', 'takeover', 'release']);
  const [released] = observer.events.filter(({ type }) => type === 'released');
  expect(released?.type === 'released' && released.heldMs).toBeLessThan(400);
});

test.each([
  ['somebody else was faster', faster],
  ['somebody else was faster and died as well', { ...dead, attemptId: 'a-faster' }],
])('refused because %s: a skip, no second takeover, no cancel', async (_, item) => {
  const { run, mock, sent } = locksWith(dead);
  mock.on(UpdateCommand, TAKEOVER).rejectsOnce(refused(item));

  const holder = { lockedBy: 'another function' };
  expect(await run(fail)).toMatchObject({ status: 'skipped', reason: 'locked', holder });
  expect(sent()).toEqual(['acquire', 'takeover']);
});

test('refused after an acquire of unknown fate: a cancel', async () => {
  const { run, mock, sent } = locksWith(dead);
  mock.rejectsOnce(timeout());
  mock.on(UpdateCommand, TAKEOVER).rejectsOnce(refused(faster));

  expect(await run(fail)).toMatchObject({ status: 'skipped', reason: 'locked' });
  expect(sent()).toEqual(['acquire', 'acquire', 'takeover', 'cancel']);
});

test('refused by a pause that came after the acquire was judged', async () => {
  const { run, mock, sent } = locksWith({ ...dead, pausedUntil: NOW + 60_000, pausedBy: 'ada' });
  mock.rejectsOnce(refused(dead));

  expect(await run(fail)).toMatchObject({ status: 'skipped', reason: 'paused' });
  expect(sent()).toEqual(['acquire', 'takeover']);
});

test('of a lock whose record was cut down by hand', async () => {
  const { run } = locksWith({ state: 'held', lockUntil: NOW - 30_000 });

  expect(await run(() => 'sent')).toMatchObject({ status: 'executed', value: 'sent' });
});

test('a refusal that no record accounts for may fare better at another try', async () => {
  const { run, mock } = mockedLocks();
  mock.rejectsOnce(refused({ barredAttempt: 'a-foreign' }));

  await expect(run(fail)).rejects.toMatchObject({ code: 'UNAVAILABLE', operation: 'acquire', retryable: true });
});

describe('a refusal without its item', () => {
  test('is read, consistently', async () => {
    const { run, mock, sent } = locksWith(held);
    mock.rejectsOnce(refused());
    const holder = { lockedBy: 'another function' };

    expect(await run(fail)).toMatchObject({ status: 'skipped', reason: 'locked', holder });
    expect(sent()).toEqual(['acquire', 'read']);
    expect(mock.commandCalls(GetCommand)[0]?.args[0].input).toMatchObject({ ConsistentRead: true });
  });

  test.each([
    ['there is none, where the role may not read', 'AccessDeniedException', 'UNAVAILABLE'],
    ['nothing if the read fails', 'ResourceNotFoundException', 'TABLE_NOT_FOUND'],
  ])('means that %s', async (_, name, code) => {
    const { run, mock, sent } = mockedLocks();
    mock.rejectsOnce(refused());
    mock.on(GetCommand).rejects(Object.assign(new Error('no'), { name }));

    await expect(run(fail)).rejects.toMatchObject({ code, retryable: code === 'UNAVAILABLE' });
    expect(sent()).toEqual(['acquire', 'read']);
  });
});
