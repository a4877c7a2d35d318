import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const KEEPER = fileURLToPath(new URL('./keeper.mjs', import.meta.url));

/** Kills the added processes when this process ends, however it ends. */
export interface Keeper {
  add(pid: number): void;
  delete(pid: number): void;
  stop(): Promise<void>;
}

export function startKeeper(): Keeper {
  // Detached, so that Ctrl+C in a test run does not end the keeper first.
  const child = spawn(process.execPath, [KEEPER], { stdio: ['pipe', 'ignore', 'inherit'], detached: true });
  const exited = once(child, 'exit');
  return {
    add: (pid) => child.stdin.write(`+${pid}\n`),
    delete: (pid) => child.stdin.write(`-${pid}\n`),
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
