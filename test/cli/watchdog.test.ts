import { manualClock } from 'single-execution/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startWatchdog } from '../../src/cli/run/watchdog.js';
import { freshName } from './stage.js';
import { shellFor } from './watchdog-shell.js';

/** Only Linux has /proc, in which the shell is found. */
const onLinux = test.runIf(process.platform === 'linux');

/** A watchdog and its shell. Tests send signals to the shell alone, as if its whole group got them. */
async function started() {
  const clock = manualClock();
  const name = freshName();
  const marks = [`SINGLE_EXECUTION_NAME=${name}`, 'SINGLE_EXECUTION_FENCING_TOKEN=1'] as const;
  const watchdog = startWatchdog('terminal', marks, clock);
  onTestFinished(() => watchdog.dismiss());
  const shell = await shellFor(name);
  return { clock, watchdog, sendGroup: (signal: NodeJS.Signals) => process.kill(shell, signal) };
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
