import { checkKnown, namesOf } from '../../core/values/checks.js';
import type { FakeItem } from './attribute-value.js';
import { beyondFake, dynamoDBError, validationError } from './error.js';
import { fakeTable, type UpdateInput } from './table.js';

/** The part of a mocked document client that the fake uses; aws-sdk-client-mock makes such mocks. */
export interface DocumentClientMock {
  /** The stub of `send`. */
  readonly send: {
    /** Lets a function answer every command. */
    callsFake(
      answer: (command: {
        /** The input of the command. */
        readonly input: object;
      }) => Promise<never>,
    ): unknown;
  };
}

/** Options of `fakeLockTable`: the table that the fake replaces. */
export interface FakeLockTableOptions {
  /** Name of the table. @default the table of the first command that this fake answers */
  readonly tableName?: string;
  /** Name of the partition key. @default 'lockName' */
  readonly partitionKey?: string;
  /** Name of the sort key, if the table has one. @default none */
  readonly sortKey?: string;
}

/** A test's direct access to the table, without the code under test. */
export interface FakeLockTable {
  /** Returns every item, to check what was written, or that nothing was written. */
  items(): FakeItem[];
  /** Returns the item of a lock; undefined if it has no item. @param name the lock's name with the store's prefix */
  item(name: string): FakeItem | undefined;
  /** Replaces the item of a lock, for example by an item that is held by somebody else, paused or corrupt. */
  put(name: string, attributes: FakeItem): void;
  /** Carries out the next command but loses its answer: the caller sees a timeout. */
  loseNextResponse(): void;
}

interface Input extends UpdateInput {
  readonly TableName?: string;
}

const UPDATE = 'TableName Key UpdateExpression ConditionExpression ExpressionAttributeNames ExpressionAttributeValues';
const RETURNS = 'ReturnValues ReturnValuesOnConditionCheckFailure';
/** The parameters by which a supported command is recognised. Only a read has `ConsistentRead`; a deletion does not. */
const COMMANDS = [
  { verb: 'update', takes: `${UPDATE} ${RETURNS}`.split(' '), needs: ['Key', 'UpdateExpression'] },
  { verb: 'get', takes: ['TableName', 'Key', 'ConsistentRead'], needs: ['Key', 'ConsistentRead'] },
  { verb: 'scan', takes: ['TableName', 'ConsistentRead'], needs: ['ConsistentRead'] },
] as const;

const OPTIONS = namesOf<FakeLockTableOptions>({ tableName: true, partitionKey: true, sortKey: true });
/** The value of the sort key, in a table that has one. All locks have this value. */
const SORT_VALUE = 'lock';

/**
 * Makes a mock of the document client, from `mockClient(DynamoDBDocumentClient)` of aws-sdk-client-mock, behave as the
 * lock table: it evaluates the same expressions that the store sends, as DynamoDB does. Behaviour set with
 * `mock.on(…)`, before or after this call, takes precedence; `mock.rejectsOnce(error)` lets one call fail. After
 * `mock.reset()` call this again. Answers carry no Date header, so the caller's clock decides takeovers.
 *
 * @example
 * ```ts
 * import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
 * import { mockClient } from 'aws-sdk-client-mock';
 * import { fakeLockTable } from 'single-execution/testing';
 *
 * const table = fakeLockTable(mockClient(DynamoDBDocumentClient));
 * table.loseNextResponse();
 * ```
 *
 * @throws TypeError for an unknown option, or if `mock` is not a mock
 */
export function fakeLockTable(mock: DocumentClientMock, options: FakeLockTableOptions = {}): FakeLockTable {
  if (typeof mock?.send?.callsFake !== 'function') {
    throw new TypeError('mock is not a mocked client: pass what mockClient(DynamoDBDocumentClient) returned');
  }
  checkKnown(options, OPTIONS, 'fakeLockTable');
  const { partitionKey = 'lockName', sortKey } = options;
  const table = fakeTable(sortKey === undefined ? [partitionKey] : [partitionKey, sortKey]);
  const keyOf = (name: string): FakeItem => ({
    [partitionKey]: name,
    ...(sortKey !== undefined && { [sortKey]: SORT_VALUE }),
  });
  let { tableName } = options;
  let losesResponse = false;

  const answer = (input: Input): object => {
    if (tableName !== undefined && input.TableName !== tableName) {
      const message = `fakeLockTable is table '${tableName}' and no other: ${remedy(input)}`;
      throw dynamoDBError('ResourceNotFoundException', message);
    }
    const verb = verbOf(input);
    tableName = input.TableName;
    switch (verb) {
      case 'update':
        refuseClock(input);
        return { Attributes: table.update(input) };
      case 'get':
        return { Item: table.get(input.Key) };
      case 'scan':
        return { Items: table.items() };
    }
  };

  // Set the answer on the stub itself, not by mock.callsFake(): then every on(…) takes precedence, before or after
  // this.
  mock.send.callsFake(async ({ input }): Promise<never> => {
    const isLost = losesResponse;
    losesResponse = false;
    const answered = (async () => answer(input as Input))();
    if (isLost) {
      await answered.catch(() => undefined);
      throw Object.assign(new Error('fakeLockTable lost this response, as planned'), { name: 'TimeoutError' });
    }
    const $metadata = { httpStatusCode: 200, requestId: 'fakeLockTable', attempts: 1, totalRetryDelay: 0 };
    return { ...(await answered), $metadata } as never;
  });

  return {
    items: table.items,
    item: (name) => table.get(keyOf(name)),
    put: (name, attributes) => table.put({ ...attributes, ...keyOf(name) }),
    loseNextResponse() {
      losesResponse = true;
    },
  };
}

function verbOf(input: Input): (typeof COMMANDS)[number]['verb'] {
  const given = Object.entries(input).flatMap(([parameter, value]) => (value === undefined ? [] : [parameter]));
  const command = COMMANDS.find(({ takes, needs }) => {
    const understood: readonly string[] = takes;
    return needs.every((parameter) => given.includes(parameter)) && given.every((p) => understood.includes(p));
  });
  if (command) return command.verb;
  throw beyondFake(
    `answer a command with ${given.join(', ')}; it does UpdateItem with an UpdateExpression, and GetItem and Scan with ConsistentRead: ${remedy(input)}`,
  );
}

/** Refuses an acquire at an instant that no record can hold. @throws a ValidationException */
function refuseClock({ UpdateExpression = '', ExpressionAttributeValues }: Input): void {
  const now = Number(ExpressionAttributeValues?.[':now']);
  if (!UpdateExpression.includes('fencingToken') || !(now < 1e12)) return;
  const at = new Date(now).toISOString();
  throw validationError(`the clock is at ${at}, before 2001; in a test turn it to 2015 or later`);
}

function remedy({ TableName }: Input): string {
  return `add an answer to the mock, such as mock.on(PutCommand, { TableName: '${TableName}' }).resolves({})`;
}
