import type { Leadership } from 'single-execution/leader';
import { describe, expect, test } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { electionScene, GUARD, LEASE, oneLeader, RETRY, START, twoCandidates } from './election-scene.js';

describe('who leads', () => {
  test('nothing is sent, and nobody leads, before start', async () => {
    const { clock, candidate } = electionScene();
    const { election, faults, checkIn, begun } = candidate('a');
    await clock.advance(60_000);

    expect(faults.calls).toEqual([]);
    expect(checkIn).not.toHaveBeenCalled();
    expect(clock.pendingTimers()).toBe(0);
    expect(begun).toEqual([]);
    expect([election.isLeader(), election.term, election.candidate]).toEqual([false, undefined, 'a']);
  });

  test('row 41: one of five leads, the same one for as long as it can renew', async () => {
    const { clock, candidate, leaders } = electionScene();
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => candidate(name));
    for (const { election } of all) election.start();

    for (let second = 0; second < 120; second++) {
      await clock.advance(1_000);
      expect(leaders()).toEqual(['a']);
    }
    expect(all.map(({ begun, ended }) => [begun.length, ended.length])).toEqual([[1, 0], ...Array(4).fill([0, 0])]);
  });

  test('row 41: the term is the fencing token of the lock, for the election and for its functions', async () => {
    const { item, election, begun } = await oneLeader();

    expect(begun.map(({ term }) => term)).toEqual([START + 1]);
    expect(election.term).toBe(START + 1);
    expect(await item()).toMatchObject({ state: 'held', lockedBy: 'a', fencingToken: START + 1, leaseMs: LEASE });
  });

  test('isLeader, term and assertLeader ask no store', async () => {
    const { clock, election, faults, checkIn, begun } = await oneLeader();
    const asked = [faults.calls.length, checkIn.mock.calls.length];
    for (let i = 0; i < 100; i++) {
      expect([election.isLeader(), election.term]).toEqual([true, START + 1]);
      begun[0]?.assertLeader();
    }
    await clock.advance(0);

    expect([faults.calls.length, checkIn.mock.calls.length]).toEqual(asked);
  });

  test('the lead is renewed every third of the lease, and asked for at every retry by the others', async () => {
    const { clock, a, b } = await twoCandidates({ a: { lease: '30s' }, b: { lease: '30s', retryEvery: '4s' } });
    await clock.advance(120_000);

    expect(a.faults.calls.map(({ verb }) => verb)).toEqual(['acquire', ...Array(12).fill('extend')]);
    // Between a half of it and all of it.
    expect(b.faults.calls.length).toBeGreaterThanOrEqual(30);
    expect(b.faults.calls.length).toBeLessThanOrEqual(61);
    expect(new Set(b.faults.calls.map(({ verb }) => verb))).toEqual(new Set(['acquire']));
  });

  test('one who is paused by an operator asks no more often than one who is refused', async () => {
    const { clock, candidate, store } = electionScene();
    const first = candidate('a');
    first.election.start();
    await clock.advance(0);
    await first.election.stop();
    await store.pause('sched', { untilMs: START + 3_600_000, by: 'Ann' }, storeCall(clock));
    const { election, faults } = candidate('b');
    election.start();
    await clock.advance(60_000);

    expect(faults.calls.length).toBeLessThanOrEqual(41);
    await election.stop();
  });
});

describe('one who cannot renew', () => {
  test('row 41: steps down with a LockLostError before another can lead', async () => {
    const { clock, candidate } = electionScene();
    const times: Record<string, number> = {};
    const note = (what: string) => () => {
      times[what] = clock.now() - START;
    };
    const a = candidate('a', { onStopped: note('a stopped') });
    const b = candidate('b', { onStarted: note('b started') });
    a.election.start();
    await clock.advance(0);
    b.election.start();
    await clock.advance(5_000);
    a.faults.next('extend', ...Array(100).fill('lose-request'));
    a.faults.next('acquire', ...Array(100).fill('lose-request'));
    a.faults.next('release', 'lose-request');
    await clock.advance(LEASE + RETRY);

    // Last renewed at 5 s, for 15 s.
    expect(times['a stopped']).toBe(5_000 + LEASE - GUARD);
    expect(times['b started']).toBeGreaterThanOrEqual(5_000 + LEASE);
    expect(times['b started']).toBeLessThanOrEqual(5_000 + LEASE + RETRY);
    expect(a.begun[0]?.signal.reason).toMatchObject({ name: 'LockLostError', lockName: 'sched' });
    expect(a.observer.types()).toContain('lost');
    expect([a.election.isLeader(), a.election.term]).toEqual([false, undefined]);
    expect(() => a.begun[0]?.assertLeader()).toThrow(expect.objectContaining({ name: 'LockLostError' }));
    expect(b.election.term).toBeGreaterThan(a.begun[0]?.term ?? Number.NaN);
  });

  test('F61 a leader that an operator deposes notices it at its next renewal, and stands again; its term is the smaller one', async () => {
    const { clock, store, item, leaders, a, b } = await twoCandidates();
    await clock.advance(1_000);
    const { fencingToken, lockedAt } = (await item()) as { fencingToken: number; lockedAt: number };
    const force = { name: 'sched', adminId: 'f1', fencingToken, lockedAtMs: lockedAt, nowMs: clock.now() };
    expect(await store.forceRelease(force, storeCall(clock))).toBe('forced');
    await clock.advance(LEASE / 3);

    expect(a.begun[0]?.signal.reason).toMatchObject({ name: 'LockLostError' });
    expect(leaders()).toEqual(['b']);
    expect(b.election.term).toBeGreaterThan(a.begun[0]?.term ?? Number.NaN);
    await clock.advance(60_000);
    expect(leaders()).toEqual(['b']);
    await b.election.stop();
    await clock.advance(RETRY);
    expect(leaders()).toEqual(['a']);
  });

  test.each<[string, (leadership: Leadership | undefined, isLeader: () => boolean) => boolean | undefined]>([
    ['its election', (_, isLeader) => !isLeader()],
    ['its signal', (leadership) => leadership?.signal.aborted],
  ])(
    'F26 a leader whose machine slept past the lease notices it by %s, before any timer has fired',
    async (_, hasLearned) => {
      const { clock, leaders, a } = await twoCandidates();
      a.host.suspend();
      await clock.advance(LEASE + RETRY);
      expect(leaders()).toEqual(['b']);
      a.host.resume();

      expect(hasLearned(a.begun[0], a.election.isLeader)).toBe(true);
      expect([a.election.isLeader(), a.election.term]).toEqual([false, undefined]);
      expect(() => a.begun[0]?.assertLeader()).toThrow(expect.objectContaining({ name: 'LockLostError' }));
      expect(a.begun[0]?.signal.reason).toMatchObject({ name: 'LockLostError' });
      await clock.advance(LEASE);
      expect(leaders()).toEqual(['b']);
      expect(a.ended).toEqual(a.begun);
    },
  );
});
