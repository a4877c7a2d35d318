import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { type ExecuteOptions, executeWithLock, type Outcome, type Task } from 'single-execution';
import { type DynamoDBStoreOptions, dynamoDBStore } from 'single-execution/dynamodb';
import { fakeLockTable, type ManualClock, manualClock, recordingObserver } from 'single-execution/testing';
import { verbOf } from '../../support/lock-verb.js';
import { settledOf } from '../../support/settled.js';

export const NOW = Date.UTC(2026, 0, 1);

/** A store on a mocked client that behaves like the lock table, and a clock that stands still between calls. */
export function mockedLocks() {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 1 }));
  const mock = mockClient(client);
  const table = fakeLockTable(mock);
  const clock = manualClock(NOW);
  const observer = recordingObserver();
  /** Runs a task under lock `digest`, for at most a minute, and turns the clock until it has ended. */
  const run = <T>(
    task: Task<T>,
    options: Partial<ExecuteOptions> = {},
    ofStore: Partial<DynamoDBStoreOptions> = {},
  ): Promise<Outcome<T>> => {
    const store = dynamoDBStore({ tableName: 'locks', client, ...ofStore });
    const all = { name: 'digest', store, lockAtMostFor: '1m', clock, observers: [observer], ...options };
    return turnUntilSettled(clock, executeWithLock(task, all));
  };
  /** The requests so far, in order: verbs of the protocol, or `read`. */
  const sent = (): string[] =>
    mock.calls().map(({ args: [{ input }] }) => ('UpdateExpression' in input ? verbOf({ ...input }) : 'read'));
  return { client, mock, table, clock, observer, run, sent };
}

async function turnUntilSettled<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  const isSettled = settledOf(promise);
  for (let turns = 0; !isSettled() && turns < 1_000; turns++) await clock.advance(turns === 0 ? 0 : 25);
  return promise;
}

/** The item of a grant to another holder. */
export const held = {
  attemptId: 'a-foreign',
  state: 'held',
  fencingToken: NOW,
  lockedAt: NOW - 60_000,
  leaseMs: 120_000,
  lockUntil: NOW + 62_000,
  lockedBy: 'another function',
  v: 1,
};
/**
 * The item of a grant whose holder has died. Its lease ended longer ago than `maxClockSkew`, which is added because a
 * mock sends no Date header.
 */
export const dead = { ...held, lockUntil: NOW - 1_000 };

/** Matches the command of a takeover, for `mock.on(UpdateCommand, …)`. */
export const TAKEOVER: Partial<UpdateCommandInput> = { ExpressionAttributeValues: { ':oldState': 'held' } };

/** The output of a write without data. DynamoDB names the request in each answer. */
export const ANSWERED = { $metadata: { httpStatusCode: 200, requestId: 'R1' } };

/** The SDK's error if no answer came. */
export const timeout = (): Error => Object.assign(new Error('no answer'), { name: 'TimeoutError' });

/** The SDK's error if a condition does not hold, with the item that made it fail. Emulators leave the item out. */
export function refused(item?: object, attempts = 1): Error & { readonly Item?: object } {
  const raw = (value: unknown) => (typeof value === 'number' ? { N: `${value}` } : { S: value });
  return Object.assign(new Error('The conditional request failed'), {
    name: 'ConditionalCheckFailedException',
    $metadata: { httpStatusCode: 400, attempts },
    ...(item && { Item: Object.fromEntries(Object.entries(item).map(([name, value]) => [name, raw(value)])) }),
  });
}
