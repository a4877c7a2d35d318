/* The library and its clients, to be bundled with the oldest versions of these clients. */
export { DynamoDBClient } from '@aws-sdk/client-dynamodb';
export { Redis } from '@upstash/redis';
export { acquireLock, executeWithLock, withSingleExecution } from 'single-execution';
export { lockAdmin } from 'single-execution/admin';
export { createLockTable, dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
export { upstashAdminStore, upstashStore } from 'single-execution/upstash';
