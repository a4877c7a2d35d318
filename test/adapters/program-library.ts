/** The modules that the programs of program.ts use. */
export { Redis } from 'ioredis';
export { withSingleExecution } from '../../src/adapters/process.js';
export { untilShutdown } from '../../src/adapters/process-shutdown.js';
export { memoryStore } from '../../src/stores/memory.js';
export { redisStore } from '../../src/stores/redis/redis.js';
export { gate } from '../support/gate.js';
