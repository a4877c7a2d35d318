import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type AwsClientStub, mockClient } from 'aws-sdk-client-mock';
import { type ExecuteOptions, executeWithLock, type Outcome, type Task } from 'single-execution';
import { type DynamoDBStoreOptions, dynamoDBStore } from 'single-execution/dynamodb';
import {
  type FakeLockTable,
  fakeLockTable,
  type ManualClock,
  manualClock,
  type RecordingObserver,
  recordingObserver,
} from 'single-execution/testing';
import { verbOf } from '../../support/lock-verb.js';
import { settledOf } from '../../support/settled.js';

export interface MockedLocks {
  readonly client: DynamoDBDocumentClient;
  readonly mock: AwsClientStub<DynamoDBDocumentClient>;
  readonly table: FakeLockTable;
  readonly clock: ManualClock;
  readonly observer: RecordingObserver;
  /** Runs a task under lock `digest`, for at most a minute, and turns the clock until it has ended. */
  run<T>(task: Task<T>, options?: Partial<ExecuteOptions>, store?: Partial<DynamoDBStoreOptions>): Promise<Outcome<T>>;
  /** The requests so far, in order: verbs of the protocol, or `read`. */
  sent(): string[];
}

/** A store on a mocked client that behaves like the lock table, and a clock that stands still between calls. */
export function mockedLocks(): MockedLocks {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 1 }));
  const mock = mockClient(client);
  const table = fakeLockTable(mock);
  const clock = manualClock();
  const observer = recordingObserver();
  return {
    client,
    mock,
    table,
    clock,
    observer,
    run: (task, options, storeOptions) =>
      turnUntilSettled(
        clock,
        executeWithLock(task, {
          name: 'digest',
          store: dynamoDBStore({ tableName: 'locks', client, ...storeOptions }),
          lockAtMostFor: '1m',
          clock,
          observers: [observer],
          ...options,
        }),
      ),
    sent: () =>
      mock.calls().map(({ args: [{ input }] }) => ('UpdateExpression' in input ? verbOf({ ...input }) : 'read')),
  };
}

async function turnUntilSettled<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  const isSettled = settledOf(promise);
  for (let turns = 0; !isSettled() && turns < 1_000; turns++) await clock.advance(turns === 0 ? 0 : 25);
  return promise;
}
