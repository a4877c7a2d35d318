import type { ChildProcess } from 'node:child_process';

/*
 * A test that waits for a word of a process fails only by Vitest's timeout if the process goes on without that word. The
 * error then shows what each process that is still running has written so far. `test/runner/last-words.setup.ts` adds it.
 */

/** How much of the output of a process is kept. */
const MOST_CHARACTERS = 4_000;

/** What the running processes have written. A global: the setup has another copy of this module than the test files. */
const KEY = Symbol.for('single-execution.test.last-words');
const shared = globalThis as { [KEY]?: Map<ChildProcess, string> };
shared[KEY] ??= new Map();
const written = shared[KEY];

/** Listens to a process until it ends. @returns the same process */
export function heard<T extends ChildProcess>(child: T): T {
  written.set(child, '');
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: unknown) => {
      if (written.has(child)) written.set(child, `${written.get(child)}${chunk}`.slice(-MOST_CHARACTERS));
    });
  }
  child.once('close', () => written.delete(child)).once('error', () => written.delete(child));
  return child;
}

/** What the processes that are still running have written so far; empty if none is running. */
export function lastWords(): string {
  return [...written]
    .map(([{ pid, spawnargs }, output]) => {
      const command = spawnargs.map((word) => (word.length > 80 ? `${word.slice(0, 80)}…` : word)).join(' ');
      return `\n\nProcess ${pid} (${command}) is still running. ${output ? `Its last output:\n${output}` : 'It has written nothing.'}`;
    })
    .join('');
}
