export type { Schedule } from '../core/values/tick.js';
export { cron } from './cron.js';
export { eventBridge } from './eventbridge.js';
export { type RateOptions, rate } from './rate.js';
export { scheduleFromEnvironment } from './schedule-from-environment.js';
export type { ZoneOptions } from './time-zone.js';
