import AWS from 'aws-sdk';
import DynamoDBLockClient from 'dynamodb-lock-client';
import { host } from './host.js';

await host(({ url, tableName, leaseMs }) => {
  const client = new DynamoDBLockClient.FailOpen({
    dynamodb: new AWS.DynamoDB.DocumentClient({ endpoint: url, region: 'local' }),
    lockTable: tableName,
    partitionKey: 'lockName',
    heartbeatPeriodMs: leaseMs * 0.3,
    leaseDurationMs: leaseMs,
  });
  return (name, _tickMs, task) =>
    new Promise((resolve, reject) => {
      client.acquireLock(name, async (error, lock) => {
        if (error?.code === 'FailedToAcquireLock') return resolve('skipped');
        if (error) return reject(error);
        lock.on('error', () => undefined);
        const failure = await task().catch((reason: unknown) => reason);
        return lock.release((untold) => ((failure ?? untold) ? reject(failure ?? untold) : resolve('ran')));
      });
    });
});
