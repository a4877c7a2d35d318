import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { manualClock } from 'single-execution/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startWatchdog } from '../../src/cli/run/watchdog.js';
import { freshName } from './stage.js';

/** Only Linux has /proc, in which these tests find the shell. */
const onLinux = test.runIf(process.platform === 'linux');

/** A watchdog and its shell. Tests send signals to the shell alone, as if its whole group got them. */
async function started() {
  const clock = manualClock();
  const mark = `SINGLE_EXECUTION_NAME=${freshName()}`;
  const watchdog = startWatchdog('terminal', [mark, 'SINGLE_EXECUTION_FENCING_TOKEN=1'], clock);
  onTestFinished(() => watchdog.dismiss());
  const shell = await shellOf(mark);
  return { clock, watchdog, sendGroup: (signal: NodeJS.Signals) => process.kill(shell, signal) };
}

/** Resolves to the process id of the shell with this mark among its arguments, once it handles all signals. */
async function shellOf(mark: string): Promise<number> {
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

onLinux('row 123: two equal signals of a terminal at once are the whole group’s both', async () => {
  const { clock, watchdog, sendGroup } = await started();
  const seen = [watchdog.saw('SIGINT'), watchdog.saw('SIGINT')];
  sendGroup('SIGINT');
  await Promise.race(seen);
  await clock.advance(300);

  expect(await Promise.all(seen)).toEqual([true, true]);
});

onLinux('row 123: a signal of a terminal does not swallow one that run alone is sent later', async () => {
  const { clock, watchdog, sendGroup } = await started();
  sendGroup('SIGINT');
  sendGroup('SIGUSR1');
  // The shell reports signals in the order of their numbers.
  expect(await watchdog.saw('SIGUSR1')).toBe(true);
  await clock.advance(301);
  const seen = watchdog.saw('SIGINT');
  await clock.advance(300);

  expect(await seen).toBe(false);
});
