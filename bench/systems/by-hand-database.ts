import { databaseAt, sent } from '../databases.js';
import { byHand } from './by-hand.js';
import { host } from './host.js';

await host(async ({ url }) => Object.assign(byHand((await databaseAt(url)).locks), { sent }));
