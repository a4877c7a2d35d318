import { afterAll } from 'vitest';
import { startSentinels } from '../../support/redis-cluster.js';
import { OF_SENTINELS, SENTINEL_NAME } from './clients.js';
import { playContract } from './play-contract.js';

const sentinels = await startSentinels(SENTINEL_NAME);
afterAll(() => sentinels.stop());

playContract('row 140', OF_SENTINELS, sentinels.sentinel);
