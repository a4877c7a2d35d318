import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { heard, lastWords } from './last-words.js';

const child = heard(spawn('sh', ['-c', 'echo listeners 2; echo warned >&2; exec cat'], { stdio: 'pipe' }));
await Promise.all([once(child.stdout, 'data'), once(child.stderr, 'data')]);
afterAll(() => void child.kill('SIGKILL'));

let reason = '';
test.fails('a test that waits for a word that never comes', { timeout: 50 }, async ({ onTestFailed }) => {
  onTestFailed(({ task }) => {
    reason = String(task.result?.errors?.[0]?.message);
  });
  await once(child.stdout, 'data');
});

test('fails with what the process has said so far', () => {
  expect(reason).toContain('Test timed out in 50ms');
  expect(reason).toContain(`Process ${child.pid} (sh -c echo listeners 2`);
  expect(reason).toMatch(/is still running. Its last output:\n(listeners 2\nwarned|warned\nlisteners 2)\n$/);
});

test('shows no process that has ended', async () => {
  child.kill('SIGKILL');
  await once(child, 'close');

  expect(lastWords()).toBe('');
});
