// Reads process ids from stdin: `+1234` for a process that began, `-1234` for one that ended. When stdin closes, it
// kills the processes that are left. Stdin closes however the parent ends. A stopped process could not notice that
// itself.
import { createInterface } from 'node:readline';

const left = new Set();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const pid = Number(line.slice(1));
    if (line.startsWith('+')) left.add(pid);
    else left.delete(pid);
  })
  .on('close', () => {
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
  });
