import * as door from '../../../../src/leader/leader.js';
import { callers, holdsNow, tellEnd } from '../control.js';

/* The door of elections, for an example that leads while its server restarts. */

export * from '../../../../src/leader/leader.js';

export const createLeaderElection: typeof door.createLeaderElection = (options) => {
  const election = door.createLeaderElection({
    ...options,
    onStarted: async (leadership) => {
      await holdsNow(new Date(leadership.term));
      await options.onStarted?.(leadership);
    },
  });
  const members = async () => {
    await holdsNow();
    return election.members();
  };
  callers.push(() => tellEnd(members));
  return election;
};
