import type { Member } from 'single-execution/leader';
import type { MemoryStore } from 'single-execution/memory';
import { describe, expect, test } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { type Candidate, electionScene, LEASE, RETRY, START } from './election-scene.js';

const CHECK_IN_EVERY = LEASE / 2;
const TEN_LEASES = 10 * LEASE;

const brief = (members: readonly Member[]) =>
  Object.fromEntries(
    members.map(({ name, lastCheckIn, alive }) => [
      name,
      `${lastCheckIn.getTime() - START} ${alive ? 'alive' : 'dead'}`,
    ]),
  );

/** The next check-in of a candidate is applied a second later. */
const delayNext = ({ checkIn, host }: Candidate, store: MemoryStore) =>
  checkIn.mockImplementationOnce(async (...args) => {
    await new Promise<void>((resolve) => host.clock.setTimer(resolve, 1_000));
    return store.checkIn(...args);
  });

describe('row 42: members', () => {
  test('are all candidates, each with its last check-in, and alive if that was within the lease', async () => {
    const { clock, candidate } = electionScene();
    const [a, b, watcher] = [candidate('a'), candidate('b'), candidate('watcher')];
    a.election.start();
    await clock.advance(1_000);
    b.election.start();
    await clock.advance(CHECK_IN_EVERY);
    expect(brief(await watcher.election.members())).toEqual({ a: '7500 alive', b: '8500 alive' });

    b.host.kill();
    await clock.advance(LEASE);
    expect(brief(await watcher.election.members())).toEqual({ a: '22500 alive', b: '8500 alive' });
    await clock.advance(1);
    expect(brief(await watcher.election.members())).toEqual({ a: '22500 alive', b: '8500 dead' });
  });

  test('one who only looks is none, and asks once', async () => {
    const { clock, candidate } = electionScene();
    const { election, checkIn, faults } = candidate('watcher');

    expect(await election.members()).toEqual([]);
    expect(await election.members()).toEqual([]);
    expect(checkIn.mock.calls.map(([asked]) => asked)).toEqual(Array(2).fill({ group: 'sched', forget: [] }));
    expect(faults.calls).toEqual([]);
    expect(clock.pendingTimers()).toBe(0);
  });

  test('one who stopped is gone at once', async () => {
    const { clock, candidate } = electionScene();
    const [a, b] = [candidate('a'), candidate('b')];
    a.election.start();
    b.election.start();
    await clock.advance(1_000);
    await b.election.stop();

    expect(brief(await b.election.members())).toEqual({ a: '0 alive' });
    await clock.advance(60_000);
    expect(Object.keys(brief(await b.election.members()))).toEqual(['a']);
    await a.election.stop();
    expect(await a.election.members()).toEqual([]);
  });

  test('one who stopped does not come back by a look that was under way', async () => {
    const { clock, candidate, store } = electionScene();
    const a = candidate('a');
    const { election } = a;
    election.start();
    await clock.advance(1_000);
    delayNext(a, store);
    const looked = election.members();
    await election.stop();
    await clock.advance(1_000);
    await looked;

    expect(await election.members()).toEqual([]);
  });

  test('one who stopped while a check-in was under way is gone when stop resolves', async () => {
    const { clock, candidate, store } = electionScene();
    const a = candidate('a');
    const { election } = a;
    delayNext(a, store);
    election.start();
    await clock.advance(500);
    const stopped = election.stop();
    await clock.advance(500);
    await stopped;

    expect(await election.members()).toEqual([]);
  });

  test('one who died is taken off the list by the leader after ten leases', async () => {
    const { clock, candidate } = electionScene();
    const [a, b] = [candidate('a'), candidate('b')];
    a.election.start();
    b.election.start();
    await clock.advance(0);
    b.host.kill();
    await clock.advance(TEN_LEASES);
    expect(brief(await a.election.members())).toMatchObject({ b: '0 dead' });

    // Seen at the next check-in, done at the one after it.
    await clock.advance(CHECK_IN_EVERY);
    expect(brief(await a.election.members())).toMatchObject({ b: '0 dead' });
    await clock.advance(CHECK_IN_EVERY);
    expect(brief(await a.election.members())).toEqual({ a: '165000 alive' });
    expect(a.checkIn.mock.calls.flatMap(([{ forget }]) => forget)).toEqual(['b']);
  });

  test('nobody but the leader takes others off the list, nor does one who led before', async () => {
    const { clock, candidate, store, item, leaders } = electionScene();
    const [a, b] = [candidate('a'), candidate('b')];
    await store.checkIn({ group: 'sched', member: 'old', forget: [] }, storeCall(clock));
    a.election.start();
    await clock.advance(0);
    b.election.start();
    await store.pause('sched', { untilMs: START + 86_400_000, by: 'Ann' }, storeCall(clock));
    const { fencingToken = 0 } = await item();
    const force = { name: 'sched', adminId: 'f1', fencingToken, lockedAtMs: START, nowMs: clock.now() };
    expect(await store.forceRelease(force, storeCall(clock))).toBe('forced');
    await clock.advance(TEN_LEASES + 60_000);
    expect(leaders()).toEqual([]);
    expect(Object.keys(brief(await a.election.members())).sort()).toEqual(['a', 'b', 'old']);
    expect([a, b].flatMap(({ checkIn }) => checkIn.mock.calls.flatMap(([{ forget }]) => forget))).toEqual([]);

    await store.resume('sched', storeCall(clock));
    await clock.advance(RETRY + 2 * CHECK_IN_EVERY);
    expect(Object.keys(brief(await a.election.members())).sort()).toEqual(['a', 'b']);
  });

  test('of whom very many died are taken off the list by and by, a hundred at a time at most', async () => {
    const { clock, candidate, store } = electionScene();
    for (let i = 0; i < 250; i++) {
      await store.checkIn({ group: 'sched', member: `dead ${i}`, forget: [] }, storeCall(clock));
    }
    await clock.advance(TEN_LEASES + 1);
    const { election, checkIn } = candidate('a');
    election.start();
    await clock.advance(5 * CHECK_IN_EVERY);

    expect(Math.max(...checkIn.mock.calls.map(([{ forget }]) => forget.length))).toBeLessThanOrEqual(100);
    expect(Object.keys(brief(await election.members()))).toEqual(['a']);
    await election.stop();
  });

  test('nobody is taken off by a list that is older than the last check-in of the leader', async () => {
    const { clock, candidate, store } = electionScene();
    const { election, checkIn } = candidate('a');
    await store.checkIn({ group: 'sched', member: 'b', forget: [] }, storeCall(clock));
    election.start();
    await clock.advance(TEN_LEASES);
    await clock.advance(CHECK_IN_EVERY);
    // The leader knows now that b is to go; then it is cut off from the list, and b comes back.
    checkIn.mockRejectedValueOnce(new Error('cut off'));
    await store.checkIn({ group: 'sched', member: 'b', forget: [] }, storeCall(clock));
    await clock.advance(2 * CHECK_IN_EVERY);

    expect(Object.keys(brief(await election.members())).sort()).toEqual(['a', 'b']);
    await election.stop();
  });

  test('a check-in that fails, throws or hangs never ends the lead, and the next one corrects the list', async () => {
    const { clock, candidate, leaders } = electionScene();
    const { election, checkIn, ended } = candidate('a');
    checkIn.mockRejectedValueOnce(new Error('cut off'));
    checkIn.mockImplementationOnce(() => {
      throw new Error('at once');
    });
    checkIn.mockImplementationOnce(async () => ({ nowMs: Number.NaN, members: [] }));
    election.start();
    for (let second = 0; second < 22; second++) {
      await clock.advance(1_000);
      expect(leaders()).toEqual(['a']);
    }
    expect(await election.members()).toEqual([]);
    await clock.advance(1_000);
    expect(brief(await election.members())).toEqual({ a: '22500 alive' });

    checkIn.mockImplementationOnce(() => new Promise(() => {}));
    await clock.advance(10 * LEASE);
    expect([leaders(), ended]).toEqual([['a'], []]);
  });

  test('a look that fails rejects with the error of the store', async () => {
    const { candidate } = electionScene();
    const { election, checkIn } = candidate('a');
    const cutOff = new Error('cut off');
    checkIn.mockRejectedValueOnce(cutOff);

    await expect(election.members()).rejects.toBe(cutOff);
  });

  test('a start while the stop before it is still taking it off the list: it stands, and stays on the list', async () => {
    const { clock, candidate, store, leaders } = electionScene();
    const a = candidate('a');
    const { election } = a;
    election.start();
    await clock.advance(0);
    delayNext(a, store);
    const stopped = election.stop();
    await clock.advance(500);
    election.start();
    await clock.advance(500);
    await stopped;
    await clock.advance(CHECK_IN_EVERY);

    expect(leaders()).toEqual(['a']);
    expect(Object.keys(brief(await election.members()))).toEqual(['a']);
    await election.stop();
    expect(clock.pendingTimers()).toBe(0);
  });
});
