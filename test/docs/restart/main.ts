import { executeWithLock } from 'single-execution';
import { say } from '../../support/told.js';
import { callers, isCalled } from './control.js';
import { isScheduled } from './surroundings.js';

/* A process that runs one example. The test replaces `example` by the example's file. */

// Load it only when its surroundings are set.
const { store } = await import('example');
const first = () => {
  if (store) return executeWithLock(() => 'done', { name: 'restart', store, lockAtMostFor: '1m' });
  // A handler that the example does not call: its platform does, or a scheduler in another file.
  return isCalled() || isScheduled ? undefined : callers[0]?.(false);
};
first()?.catch(() => undefined);
say('loaded', { callers: callers.length });
