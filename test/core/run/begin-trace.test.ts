import { executeWithLock, type LockEvent } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { expect, test } from 'vitest';

/** The attempt id of a run with an observer that has `beginTrace`. */
async function attemptIdWith(beginTrace: unknown): Promise<string | undefined> {
  const events: LockEvent[] = [];
  const observer = Object.assign((event: LockEvent) => events.push(event), { beginTrace });
  const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m', observers: [observer] };
  expect(await executeWithLock(() => 'done', options)).toMatchObject({ status: 'executed', value: 'done' });
  return events[0]?.attemptId;
}

test('an attempt id ends in what an observer has to say of its trace', async () => {
  expect(await attemptIdWith(() => '.00f067aa')).toMatch(/^a[\w-]{22}\.00f067aa$/);
});

test.each<[string, unknown]>([
  [
    'throws',
    () => {
      throw new Error('no tracer');
    },
  ],
  ['is no function', 'yes'],
  ['says an object', () => ({})],
  ['says too much', () => `.${'x'.repeat(65)}`],
  ['says what no id may hold', () => '. or 1 = 1'],
])('a beginTrace that %s changes nothing', async (_, beginTrace) => {
  expect(await attemptIdWith(beginTrace)).toMatch(/^a[\w-]{22}$/);
});
