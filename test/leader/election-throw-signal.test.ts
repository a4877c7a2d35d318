import { createLeaderElection } from 'single-execution/leader';
import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => void vi.restoreAllMocks());

test('row 41: a term that ends because onStarted throws aborts its signal, so that what else it has started ends too', async () => {
  const told = vi.spyOn(console, 'warn').mockReturnValue();
  const clock = manualClock();
  const failure = new Error('the queue is gone');
  let signal: AbortSignal | undefined;
  const election = createLeaderElection({
    name: 'scheduler',
    store: memoryStore(),
    clock,
    onStarted(leadership) {
      signal ??= leadership.signal;
      throw failure;
    },
  });

  election.start();
  await clock.advance(0);

  expect(signal?.reason).toBe(failure);
  expect(told.mock.calls.map(([line]) => JSON.parse(line))).toEqual([
    {
      level: 'WARN',
      source: 'single-execution',
      message: 'election "scheduler": onStarted or onStopped failed, and the lead was given back',
      error: 'Error',
    },
  ]);
  const stopped = election.stop();
  await clock.advance(5_000);
  await stopped;
});
