import { Redis } from 'ioredis-5';
import Redlock5, { ResourceLockedError } from 'redlock-5';
import { host } from './host.js';
import { IOREDIS_OPTIONS } from './redis-client.js';

/**
 * As redlock's README shows: `using` renews the lock while the routine runs, and aborts the signal if it cannot renew.
 */
await host(({ url, leaseMs }) => {
  const client = new Redis(url, IOREDIS_OPTIONS);
  client.on('error', () => undefined);
  const redlock = new Redlock5([client], { retryCount: 0 });
  redlock.on('error', () => undefined);
  return async (name, _tickMs, task) => {
    let hasBegun = false;
    try {
      await redlock.using([name], leaseMs, async (signal) => {
        hasBegun = true;
        await task(signal);
      });
      return 'ran';
    } catch (error) {
      if (hasBegun || !(await isHeld(error))) throw error;
      return 'skipped';
    }
  };
});

/** Whether an acquire failed because the lock is held. A server that fails causes the same error, but other votes. */
async function isHeld(error: unknown): Promise<boolean> {
  const { attempts = [] } = error as { attempts?: readonly Promise<{ votesAgainst: ReadonlyMap<unknown, Error> }>[] };
  const votes = (await Promise.all(attempts)).flatMap(({ votesAgainst }) => [...votesAgainst.values()]);
  return votes.length > 0 && votes.every((vote) => vote instanceof ResourceLockedError);
}
