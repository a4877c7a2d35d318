import { describe, expect, test } from 'vitest';
import { gate } from '../support/gate.js';
import { settledOf } from '../support/settled.js';
import { electionScene, LEASE, oneLeader, RETRY, twoCandidates } from './election-scene.js';

describe('stop', () => {
  test('asks with a RunEndedError, waits for onStarted, calls onStopped once, and only then frees the lead', async () => {
    const [work, farewell] = [gate(), gate()];
    const { clock, item, leaders, a } = await twoCandidates({
      a: { onStarted: () => work.opened, onStopped: () => farewell.opened },
    });
    await clock.advance(1_000);
    const isStopped = settledOf(a.election.stop());
    expect([a.election.isLeader(), a.election.term]).toEqual([false, undefined]);
    await clock.advance(60_000);

    expect(a.begun[0]?.signal.reason).toMatchObject({ name: 'RunEndedError', code: 'SHUTDOWN' });
    expect([a.election.isLeader(), a.election.term]).toEqual([false, undefined]);
    expect(a.ended).toEqual(a.begun);
    expect(await item()).toMatchObject({ state: 'held', lockedBy: 'a' });
    farewell.open();
    await clock.advance(60_000);
    expect(await item()).toMatchObject({ state: 'held', lockedBy: 'a' });
    expect([isStopped(), leaders()]).toEqual([false, []]);

    work.open();
    await clock.advance(0);
    expect(isStopped()).toBe(true);
    expect(await item()).toMatchObject({ state: 'released', result: 'succeeded', lockUntil: clock.now() });
    await clock.advance(RETRY);
    expect(leaders()).toEqual(['b']);
    expect(a.ended).toHaveLength(1);
  });

  test('leaves no timer and no renewal behind', async () => {
    const { clock, a, b } = await twoCandidates();
    await clock.advance(20_000);
    const stopped = Promise.all([a.election.stop(), b.election.stop()]);
    await clock.advance(0);
    await stopped;
    const asked = () => [a, b].map(({ faults, checkIn }) => [faults.calls.length, checkIn.mock.calls.length]);
    const before = asked();

    expect(clock.pendingTimers()).toBe(0);
    await clock.advance(60_000);
    expect(asked()).toEqual(before);
  });

  test('before start it sends nothing; twice is once; and one may start again', async () => {
    const { clock, candidate, leaders } = electionScene();
    const { election, faults, checkIn, begun, ended } = candidate('a');
    await election.stop();
    expect([faults.calls.length, checkIn.mock.calls.length]).toEqual([0, 0]);

    election.start();
    await clock.advance(0);
    await Promise.all([election.stop(), election.stop()]);
    await election.stop();
    expect([begun.length, ended.length]).toEqual([1, 1]);
    expect(faults.calls.map(({ verb }) => verb)).toEqual(['acquire', 'release']);

    election.start();
    await clock.advance(0);
    expect(leaders()).toEqual(['a']);
    expect(begun[1]?.term).toBeGreaterThan(begun[0]?.term ?? Number.NaN);
    await election.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('start twice is once', async () => {
    const { clock, candidate } = electionScene();
    const { election, faults, checkIn } = candidate('a');
    election.start();
    election.start();
    await clock.advance(LEASE);

    expect(faults.calls.map(({ verb }) => verb)).toEqual(['acquire', 'extend', 'extend', 'extend']);
    expect(checkIn).toHaveBeenCalledTimes(3);
    await election.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('while it asks for the lead: a grant that comes after is given back, and no term begins', async () => {
    const { clock, candidate, item, leaders } = electionScene();
    const a = candidate('a');
    a.faults.next('acquire', { delayMs: 2_000 });
    a.election.start();
    await clock.advance(1_000);
    const isStopped = settledOf(a.election.stop());
    await clock.advance(1_000);

    expect(isStopped()).toBe(true);
    expect(a.begun).toEqual([]);
    expect(leaders()).toEqual([]);
    expect(await item()).toMatchObject({ state: 'released', lockUntil: clock.now() });
    expect(clock.pendingTimers()).toBe(0);
  });

  test('out of reach of the store it ends all the same, and the lead passes on with the lease', async () => {
    const { clock, leaders, a } = await twoCandidates();
    a.faults.next('release', 'lose-request');
    a.checkIn.mockImplementation(() => {
      throw new Error('at once');
    });
    await a.election.stop();

    expect(a.observer.types().slice(-2)).toEqual(['release-failed', 'finished']);
    await clock.advance(LEASE - 1);
    expect(leaders()).toEqual([]);
    await clock.advance(RETRY);
    expect(leaders()).toEqual(['b']);
  });

  test('a lead that is lost while onStopped runs is reported as lost, and its successor is left alone', async () => {
    const farewell = gate();
    const { clock, item, leaders, a } = await twoCandidates({ a: { onStopped: () => farewell.opened } });
    a.faults.next('extend', ...Array(100).fill('lose-request'));
    const isStopped = settledOf(a.election.stop());
    await clock.advance(LEASE + RETRY);

    expect(a.observer.types()).toContain('lost');
    expect(() => a.ended[0]?.assertLeader()).toThrow(expect.objectContaining({ name: 'LockLostError' }));
    expect(leaders()).toEqual(['b']);
    farewell.open();
    await clock.advance(0);
    expect(isStopped()).toBe(true);
    expect(await item()).toMatchObject({ state: 'held', lockedBy: 'b' });
  });

  test('and start before it is done: the candidate stands again once it is', async () => {
    const work = gate();
    const { clock, leaders, election, begun, ended } = await oneLeader({ onStarted: () => work.opened });
    const isStopped = settledOf(election.stop());
    election.start();
    await clock.advance(LEASE);
    expect([isStopped(), begun.length]).toEqual([false, 1]);
    work.open();
    await clock.advance(0);

    expect([isStopped(), leaders()]).toEqual([true, ['a']]);
    expect([begun.length, ended.length]).toEqual([2, 1]);
    expect((await election.members()).map(({ name }) => name)).toEqual(['a']);
    await election.stop();
    expect(clock.pendingTimers()).toBe(0);
    expect(await election.members()).toEqual([]);
  });
});
