import { executeWithLock } from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { emfObserver, jsonLogObserver } from '../../src/observe/observe.js';
import { pass } from '../support/pass.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A run that loses its lock, with the observers or the default. @returns what it wrote on stderr */
async function linesOf(own: Pick<Parameters<typeof executeWithLock>[1], 'observers'>): Promise<string[]> {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const clock = manualClock();
  const running = executeWithLock(() => pass(clock, 70_000), {
    name: 'digest',
    store: memoryStore(),
    lockAtMostFor: '1m',
    clock,
    ...own,
  });
  await clock.advance(70_000);
  await running;
  const lines = logged.mock.calls.map(([line]) => String(line).replace(/"a[\w-]{22}"/, '"a1"'));
  logged.mockRestore();
  return lines;
}

test('row 47: jsonLogObserver() keeps the default lines beside the metrics', async () => {
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  const lines = await linesOf({ observers: [jsonLogObserver(), emfObserver()] });

  expect(lines).toEqual([
    '{"level":"WARN","source":"single-execution","message":"lock \\"digest\\": lost","name":"digest","attemptId":"a1","at":"2026-01-01T00:00:59.400Z","type":"lost","fencingToken":1767225600001}',
  ]);
  expect(lines).toEqual(await linesOf({}));
  expect(stdout).toHaveBeenCalledTimes(4);
});
