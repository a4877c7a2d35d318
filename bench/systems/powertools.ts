import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { lambdaContext } from 'single-execution/testing';
import { host, type Task } from './host.js';

interface Event {
  /** The key that makes two events one: the job and its tick. */
  readonly key: string;
  readonly task: Task;
}

await host(({ tableName, leaseMs }) => {
  const persistenceStore = new DynamoDBPersistenceLayer({ tableName, keyAttr: 'lockName' });
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'key' });
  const handler = makeIdempotent(
    async ({ task }: Event, _context: object) => {
      await task();
      return 'done';
    },
    { persistenceStore, config },
  );
  // Powertools throws if another run is at work on the tick. If the tick is done, it returns the stored result: a skip.
  return async (name, tickMs, task) => {
    let hasBegun = false;
    const begun = async () => {
      hasBegun = true;
      await task();
    };
    await handler({ key: `${name} ${tickMs}`, task: begun }, lambdaContext({ remainingMs: leaseMs }));
    return hasBegun ? 'ran' : 'skipped';
  };
});
