import { ownEngine } from '../../support/backends/stage.js';
import { inThisRun } from '../../support/in-this-run.js';
import { FIRST, FURTHER } from './clients.js';
import { playContract } from './play-contract.js';

const { server } = await ownEngine('redis');

playContract('row 139 row 92', inThisRun(FIRST, [], FURTHER), server);
