import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves to the process id of the watchdog's shell for the lock of this name, once it handles all signals. Linux only:
 * it is looked for in /proc.
 */
export async function shellFor(name: string): Promise<number> {
  const mark = `SINGLE_EXECUTION_NAME=${name}`;
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  for (;;) {
    const pids = readdirSync('/proc').filter((pid) => read(pid, 'cmdline').split('\0').includes(mark));
    const ready = pids.find((pid) => {
      const caught = BigInt(`0x${/SigCgt:\s*(\w+)/.exec(read(pid, 'status'))?.[1] ?? '0'}`);
      return (caught >> BigInt(constants.signals.SIGUSR2 - 1)) & 1n;
    });
    if (ready !== undefined) return Number(ready);
    await sleep(20);
  }
}
