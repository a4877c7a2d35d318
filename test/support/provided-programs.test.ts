import { afterEach, expect, test, vi } from 'vitest';
import { providePrograms } from './provided-programs.js';

const { platform } = process;
afterEach(() => Object.defineProperty(process, 'platform', { value: platform }));

test.each([
  ['linux', 'run: sudo apt-get install gcc libc6-dev'],
  ['darwin', 'run: brew install gcc'],
  ['win32', 'use WSL'],
])('names the command to run where nothing can be installed, on %s', async (system, remedy) => {
  vi.stubEnv('PATH', '/nowhere');
  Object.defineProperty(process, 'platform', { value: system });

  await expect(providePrograms('gcc')).rejects.toThrow(remedy);
});
