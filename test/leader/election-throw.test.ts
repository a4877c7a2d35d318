import { setTimeout as sleep } from 'node:timers/promises';
import { LockLostError, RunEndedError } from 'single-execution';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { gate } from '../support/gate.js';
import { settledOf } from '../support/settled.js';
import { electionScene, GUARD, LEASE, oneLeader, RETRY } from './election-scene.js';

describe('a term that ends by a throw', () => {
  test('row 41: of onStarted: is reported as failed, aborts its signal, ends the term, and the candidate stands again after a pause', async () => {
    const boom = new Error('boom');
    const onStarted = vi.fn().mockRejectedValueOnce(boom);
    const told = vi.spyOn(console, 'warn').mockReturnValue();
    onTestFinished(() => told.mockRestore());
    const ledAtTheEnd: boolean[] = [];
    const { clock, candidate, item } = electionScene();
    const { election, observer, begun, ended } = candidate('a', {
      onStarted,
      onStopped: () => ledAtTheEnd.push(election.isLeader()),
    });
    election.start();
    await clock.advance(0);

    expect(observer.events.at(-1)).toMatchObject({ type: 'failed', release: 'released', error: boom });
    expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
    expect([election.isLeader(), ended, ledAtTheEnd]).toEqual([false, begun, [false]]);
    expect(() => begun[0]?.assertLeader()).toThrow(expect.objectContaining({ name: 'LockLostError' }));
    // What else it has started ends too.
    expect(begun[0]?.signal.reason).toBe(boom);
    expect(told.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
      {
        level: 'WARN',
        source: 'single-execution',
        message: 'election "sched": onStarted or onStopped failed, and the lead was given back',
        error: 'Error',
      },
    ]);
    await clock.advance(RETRY / 2 - 1);
    expect(begun).toHaveLength(1);
    await clock.advance(RETRY / 2 + 1);
    expect(begun).toHaveLength(2);
    expect([election.isLeader(), election.term]).toEqual([true, begun[1]?.term]);
  });

  test.each<[string, (signal: AbortSignal) => unknown]>([
    ['that very reason', (signal) => signal.throwIfAborted()],
    ['an AbortError because of it', (signal) => sleep(60_000, undefined, { signal })],
  ])('of onStarted on stop: %s is no failure', async (_, end) => {
    const { election, observer } = await oneLeader({
      onStarted: async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await end(signal);
      },
    });
    await election.stop();

    expect(observer.types().slice(-2)).toEqual(['released', 'finished']);
  });

  test('of onStarted by assertLeader, once the lead is lost, is no failure either', async () => {
    const { clock, candidate } = electionScene();
    const { election, host, observer } = candidate('a', {
      onStarted: ({ assertLeader }) =>
        new Promise((_, reject) => {
          const look = () => {
            try {
              assertLeader();
              host.clock.setTimer(look, 500);
            } catch (error) {
              reject(error);
            }
          };
          look();
        }),
    });
    election.start();
    await clock.advance(1_000);
    host.suspend();
    await clock.advance(LEASE);
    host.resume();
    await clock.advance(1_000);

    expect(observer.types()).toContain('lost');
    expect(observer.types()).not.toContain('failed');
  });

  test.each([
    ['a LockLostError of another lock', new LockLostError('other', 'its lease is over')],
    ['a LockLostError of a lock with the same name', new LockLostError('sched', 'its lease is over')],
    ['a RunEndedError of another lock', new RunEndedError('other', 'SHUTDOWN', 'its process is ending')],
    ['an error of its own', new Error('boom')],
  ])('F137 of onStarted on stop: %s is reported as failed', async (_, other) => {
    const told = vi.spyOn(console, 'warn').mockReturnValue();
    onTestFinished(() => told.mockRestore());
    const { clock, candidate } = electionScene();
    const { election, observer } = candidate('a', {
      onStarted: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(other))),
    });
    election.start();
    await clock.advance(0);
    await election.stop();

    expect(observer.events.at(-1)).toMatchObject({ type: 'failed', error: other });
  });

  test('of onStopped: the lead is not free before onStarted has ended', async () => {
    const boom = new Error('boom');
    const work = gate();
    const { clock, item, election, observer } = await oneLeader({
      onStarted: () => work.opened,
      onStopped: () => {
        throw boom;
      },
    });
    const isStopped = settledOf(election.stop());
    await clock.advance(LEASE - GUARD);

    expect(isStopped()).toBe(false);
    expect(await item()).toMatchObject({ state: 'held' });
    work.open();
    await clock.advance(0);
    expect(isStopped()).toBe(true);
    expect(observer.events.at(-1)).toMatchObject({ type: 'failed', error: boom });
  });

  test('of both: the error of onStarted is the one that is reported', async () => {
    const boom = new Error('boom');
    const { election, observer } = await oneLeader({
      onStarted: () => Promise.reject(boom),
      onStopped: () => Promise.reject(new Error('of the farewell')),
    });

    expect(observer.events.at(-1)).toMatchObject({ type: 'failed', error: boom });
    await election.stop();
  });
});
