import { acquireLock, executeWithLock } from 'single-execution';
import { createLeaderElection, withLeadership } from 'single-execution/leader';
import { anyTrigger } from '../adapters/contract/platform.js';
import { PLATFORMS } from '../adapters/contract/platforms.js';

const COMMON = [
  ...['name', 'lockAtMostFor', 'lockAtLeastFor', 'keepAlive', 'maxHold', 'gracePeriod', 'wait', 'schedule'],
  ...['tickMark', 'onError', 'onStoreError', 'maxClockSkew', 'observers', 'store', 'clock'],
];
const LEAD = ['name', 'store', 'candidate', 'lease', 'observers', 'clock'];

/** A door, the names of its options, and a function that passes any options to it and, if it can, makes one run. */
export type Door = readonly [string, readonly string[], (options: never, task: () => Response) => unknown];

export const DOORS: readonly Door[] = [
  [
    'executeWithLock',
    [...COMMON, 'tick', 'deadline', 'signal', 'lockedBy'],
    (options, task) => executeWithLock(task, options),
  ],
  [
    'acquireLock',
    COMMON,
    async (options, task) => {
      await using _ = await acquireLock(options);
      task();
    },
  ],
  ...PLATFORMS.map((platform): Door => {
    const known = new Set([...COMMON, ...platform.optionNames.split(', ')]);
    const args = () => platform.argsOf({ ...anyTrigger, time: Date.now() });
    return [platform.title, [...known], (options, task) => platform.wrap(task, options)(...args())];
  }),
  ['withLeadership', LEAD, (options, task) => withLeadership(task, options)()],
  [
    'createLeaderElection',
    [...LEAD, 'retryEvery', 'onStarted', 'onStopped'],
    (options) => void createLeaderElection(options),
  ],
];
