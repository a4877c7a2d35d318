/* A process of a fleet that calls one job by node-cron, every two seconds. */
import { Redis } from 'ioredis';
import cron from 'node-cron';
import type { LockEvent } from 'single-execution';
import { nodeCronCoordinator } from 'single-execution/process';
import { redisStore } from 'single-execution/redis';
import { order, say } from '../support/told.js';

const { url } = order<{ readonly url: string }>();
const store = redisStore({ client: new Redis(url, { maxRetriesPerRequest: 0 }) });

const observers = [({ type, ...event }: LockEvent) => type === 'skipped' && say('refused', event)];
cron.setRunCoordinator(nodeCronCoordinator({ store, observers }));
const task = cron.schedule('*/2 * * * * *', ({ date }) => void say('ran', { tick: date }), {
  name: 'digest',
  distributed: true,
});
task.on('execution:skipped', ({ date, reason }) => void say('skipped', { tick: date, reason }));
say('ready');
