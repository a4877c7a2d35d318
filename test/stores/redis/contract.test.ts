import { inThisRun } from '../../support/in-this-run.js';
import { ownRedis } from '../../support/own-servers.js';
import { FIRST, FURTHER } from './clients.js';
import { playContract } from './play-contract.js';

const { server } = await ownRedis();

playContract('row 139 row 92', inThisRun(FIRST, FURTHER), server);
