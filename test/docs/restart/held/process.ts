import * as door from '../../../../src/adapters/process.js';
import { callers, held, holdsNow, tellEnd, told } from '../control.js';

/* The door of long-lived processes for an example whose handlers are held. */

export * from '../../../../src/adapters/process.js';

export const withSingleExecution = ((handler: never, options: never) =>
  told(door.withSingleExecution(held(handler), options))) as unknown as typeof door.withSingleExecution;

/** node-cron calls the task itself, so hold it after the lock is taken. */
export const nodeCronCoordinator: typeof door.nodeCronCoordinator = (options) => {
  const coordinator = door.nodeCronCoordinator(options);
  let last: Parameters<typeof coordinator.shouldRun>;
  callers.push(() => tellEnd(async () => ((await coordinator.shouldRun(...last)) ? {} : { status: 'skipped' })));
  return {
    async shouldRun(...asked) {
      const runs = await coordinator.shouldRun(...asked);
      if (!runs) return false;
      last = asked;
      await holdsNow(new Date(asked[0].slice(asked[0].indexOf(':') + 1)));
      return true;
    },
    onComplete: (key) => tellEnd(() => coordinator.onComplete(key)),
  };
};
