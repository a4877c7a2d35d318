/**
 * Networks of 1 ms and of 3 ms in front of servers, in a process of its own. Its arguments are the servers' URLs. It
 * sends the URLs of the networks to its parent, and ends when the parent does.
 */
import { startSlowNetwork } from '../test/support/slow-network.js';
import { ROUND_TRIPS_MS } from './round-trips.js';

const urls = await Promise.all(
  process.argv.slice(2).map(async (url) => {
    const networks = ROUND_TRIPS_MS.map(async (ms) => (ms === 0 ? url : (await startSlowNetwork(url, ms)).endpoint));
    return Promise.all(networks);
  }),
);

process.on('disconnect', () => process.exit());
process.send?.(urls);
