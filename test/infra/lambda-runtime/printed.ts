import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Lines {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
}

/** Collects what processes print, in files. Unlike a pipe, a file has everything when the process has ended. */
export interface Printed {
  /** Descriptors for a process's stdout and stderr. */
  readonly descriptors: { readonly stdout: number; readonly stderr: number };
  /** The full lines so far. Works after `close()` too. */
  lines(): Lines;
  close(): void;
}

export async function openPrinted(): Promise<Printed> {
  const folder = await mkdtemp(join(tmpdir(), 'printed-'));
  const descriptors = {
    stdout: openSync(join(folder, 'stdout'), 'a+'),
    stderr: openSync(join(folder, 'stderr'), 'a+'),
  };
  // Remove the names of the files. The files themselves go when the last process closes them.
  await rm(folder, { recursive: true });
  const read = (): Lines => ({ stdout: linesIn(descriptors.stdout), stderr: linesIn(descriptors.stderr) });
  let kept: Lines | undefined;
  return {
    descriptors,
    lines: () => kept ?? read(),
    close() {
      kept = read();
      for (const descriptor of Object.values(descriptors)) closeSync(descriptor);
    },
  };
}

function linesIn(descriptor: number): readonly string[] {
  const content = Buffer.alloc(fstatSync(descriptor).size);
  readSync(descriptor, content, 0, content.length, 0);
  return content.toString().split('\n').slice(0, -1);
}
