import { executeWithLock } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { manualClock, recordingObserver } from 'single-execution/testing';
import { expect, test } from 'vitest';

test('recordingObserver keeps the events of a run in order', async () => {
  const observer = recordingObserver();
  const clock = manualClock();
  const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m', clock, observers: [observer] } as const;
  await executeWithLock(async () => {}, options);

  expect(observer.types()).toEqual(['attempted', 'acquired', 'started', 'released', 'finished']);
  expect(observer.events[1]).toMatchObject({ type: 'acquired', name: 'digest', at: new Date(1_767_225_600_000) });
});

test('recordingObserver begins empty, and each has its own events', () => {
  const [one, other] = [recordingObserver(), recordingObserver()];
  one({ type: 'attempted', name: 'digest', at: new Date(0) });

  expect([one.types(), other.types(), other.events]).toEqual([['attempted'], [], []]);
});
