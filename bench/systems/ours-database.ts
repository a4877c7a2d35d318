import { databaseAt, sent } from '../databases.js';
import { host } from './host.js';
import { wrapped } from './wrapped.js';

await host(async ({ url, leaseMs }) => Object.assign(wrapped((await databaseAt(url)).locks.store, leaseMs), { sent }));
