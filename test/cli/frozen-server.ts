import { readdirSync, readFileSync } from 'node:fs';

/** A server process, by its command line, and its parent. */
interface Shown {
  readonly pid: number;
  readonly parent: number;
  readonly words: string;
}

/**
 * Stops the real server on a port with all its processes, as a host does whose disk hangs. Connections stay open, the
 * system still accepts new ones, and nothing is answered. Linux only.
 *
 * @returns what lets the server go on
 */
export function freezeServer({ port }: { readonly port: number }): () => void {
  const all = processes();
  const isServer = ({ words }: Shown) =>
    /^\S*(mariadbd|postgres|redis-server)\s/.test(words) && words.includes(String(port));
  const frozen = new Set(all.filter(isServer).map(({ pid }) => pid));
  if (frozen.size === 0) throw new Error(`no server on port ${port} is shown in /proc`);
  for (const { pid, parent } of all) if (frozen.has(parent)) frozen.add(pid);
  for (const pid of frozen) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of frozen) process.kill(pid, 'SIGCONT');
  };
}

function processes(): readonly Shown[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const [, parent] = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid: Number(pid), parent: Number(parent), words }];
    } catch {
      // The process has ended.
      return [];
    }
  });
}
