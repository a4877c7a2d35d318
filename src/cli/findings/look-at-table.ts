import { randomUUID } from 'node:crypto';
import type { DescribeTableCommandOutput, TableDescription } from '@aws-sdk/client-dynamodb';
import { type Clock, type ClockBounds, LockStoreError } from '../../index.js';
import { indexConflict, RECORD_ATTRIBUTES, recordAttributeType } from '../../operate/table-attributes.js';
import { type DynamoDBTable, isDenied } from '../store/dynamodb-table.js';
import { nameOfThrown, systemWords } from '../store/reach.js';
import {
  clockVerdict,
  type Examiner,
  type Finding,
  look,
  NOBODY,
  ok,
  problem,
  unknown,
  type Verdict,
  warning,
} from './finding.js';

const NO_TABLE = 'ResourceNotFoundException';

/** Looks at a DynamoDB table. Writes nothing: it tries the right to write with a condition that never holds. */
export async function lookAtTable(opened: DynamoDBTable, { admin, clock }: Examiner): Promise<readonly Finding[]> {
  const { described, findings } = await describe(opened, clock);
  if (findings.some(({ status }) => status === 'problem') && !described) return findings;
  return [
    ...findings,
    ...(described ? [keyOf(described, opened.keys), indexesOf(described), replicasOf(described)] : []),
    await timeToLive(opened),
    ...(await permissions(opened, admin)),
  ];
}

async function describe({ client, place, keys: { tableName } }: DynamoDBTable, clock: Clock) {
  const { DescribeTableCommand } = await import('@aws-sdk/client-dynamodb');
  const command = new DescribeTableCommand({ TableName: tableName });
  let bounds: ClockBounds | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const sentMs = clock.now();
      const reply = await next(args);
      const { headers } = reply.response as { readonly headers?: Readonly<Record<string, string>> };
      const serverMs = Date.parse(headers?.['date'] ?? '');
      // The server truncates its time to the second, and the header may be a second old.
      if (serverMs) bounds = { minMs: serverMs - clock.now(), maxMs: serverMs + 2_000 - sentMs };
      return reply;
    },
    { step: 'deserialize', priority: 'low' },
  );
  let described: TableDescription | undefined;
  const table = await look(
    'table',
    async () => {
      const { Table }: DescribeTableCommandOutput = await client.send(command);
      described = Table;
      const status = Table?.TableStatus ?? 'unknown';
      return status === 'ACTIVE' || status === 'UPDATING'
        ? ok(`${tableName} is ${status}`)
        : problem(`${tableName} is ${status}`, 'wait until it is ACTIVE');
    },
    (error) => tableRefused(error, tableName, place),
  );
  const findings: Finding[] = [table, ...(bounds ? [{ check: 'clock', ...clockVerdict(bounds) }] : [])];
  return { described, findings };
}

function tableRefused(error: unknown, tableName: string, place: DynamoDBTable['place']): Verdict {
  const name = nameOfThrown(error);
  if (name === NO_TABLE) {
    return problem(
      `${tableName} is not there, in this account and region`,
      'correct --table or --region, or make it: single-execution table create',
    );
  }
  if (isDenied(error)) return unknown(`may not look: ${name}`, 'allow dynamodb:DescribeTable, or set credentials');
  return problem(`${place.words()} did not answer: ${systemWords(error) ?? name}`, place.remedy);
}

function keyOf({ KeySchema = [], AttributeDefinitions = [] }: TableDescription, asked: DynamoDBTable['keys']): Finding {
  const check = 'key schema';
  const keys = KeySchema.map(({ AttributeName: name = '' }) => {
    const type = AttributeDefinitions.find((attribute) => attribute.AttributeName === name)?.AttributeType;
    return { name, type };
  });
  const found = keys.map(({ name, type }) => `${name} (${type})`).join(', ');
  if (keys.some(({ type }) => type !== 'S'))
    return { check, ...problem(found, 'use a table whose keys are of type S') };
  const names = keys.map(({ name }) => name);
  const { partitionKey = 'lockName', sortKey } = asked;
  if (names.join() === [partitionKey, ...(sortKey ? [sortKey] : [])].join()) return { check, ...ok(found) };
  const [partition, sort] = names;
  const options =
    sort === undefined ? `--partition-key ${partition}` : `--partition-key ${partition} --sort-key ${sort}`;
  return { check, ...problem(found, `pass ${options}, and set the same as partitionKey and sortKey of stores`) };
}

function indexesOf(table: TableDescription): Finding {
  const check = 'indexes';
  const { AttributeDefinitions: types = [] } = table;
  const indexes = [...(table.GlobalSecondaryIndexes ?? []), ...(table.LocalSecondaryIndexes ?? [])];
  const conflicts = indexes.flatMap(({ IndexName: name = '', KeySchema = [] }) => {
    const keys = KeySchema.map(({ AttributeName: key = '' }) => ({
      name: key,
      type: types.find(({ AttributeName }) => AttributeName === key)?.AttributeType,
    }));
    return indexConflict({ name, keys }) ?? [];
  });
  const found = conflicts.map((conflict) => conflict.problem).join('; ');
  if (conflicts.some(({ isFatal }) => isFatal)) {
    return { check, ...problem(found, 'use a table without this index, or an index of another attribute') };
  }
  if (found !== '') return { check, ...warning(found, 'leave locks out of what reads this index') };
  return { check, ...ok(indexes.length === 0 ? 'none' : 'none has an attribute of locks as its key') };
}

function replicasOf({ Replicas = [], MultiRegionConsistency }: TableDescription): Finding {
  const check = 'replicas';
  const regions = Replicas.map(({ RegionName }) => RegionName).join(', ');
  if (Replicas.length === 0) return { check, ...ok('none') };
  if (MultiRegionConsistency === 'STRONG') return { check, ...ok(`strongly consistent: ${regions}`) };
  return {
    check,
    ...problem(
      `eventually consistent: ${regions}`,
      'two regions can both take a lock: use a table of one region, or one with multi-region strong consistency',
    ),
  };
}

async function timeToLive({ client, keys: { tableName } }: DynamoDBTable): Promise<Finding> {
  const { DescribeTimeToLiveCommand } = await import('@aws-sdk/client-dynamodb');
  return look(
    'time to live',
    async () => {
      const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: tableName }));
      if (!ttl?.TimeToLiveStatus?.startsWith('ENABL')) return ok('off');
      const found = `on, by ${ttl.AttributeName}`;
      return recordAttributeType(ttl.AttributeName ?? '') !== undefined
        ? problem(found, 'turn it off: a lock that is deleted forgets which ticks are done, and its fencing token')
        : ok(`${found}, which no lock has`);
    },
    (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow dynamodb:DescribeTimeToLive'),
  );
}

/** Whether this role has the rights of runs and of operators. */
async function permissions(opened: DynamoDBTable, admin: Examiner['admin']): Promise<Finding[]> {
  const { client, keys } = opened;
  const { tableName } = keys;
  const { ScanCommand } = await import('@aws-sdk/client-dynamodb');
  const asked: Readonly<Record<string, () => Promise<unknown>>> = {
    'dynamodb:UpdateItem': () => tryToWrite(opened),
    'dynamodb:GetItem': () => admin.get(NOBODY),
    'dynamodb:Scan': () => client.send(new ScanCommand({ TableName: tableName, Limit: 1 })),
  };
  return Promise.all(
    Object.entries(asked).map(([right, send]) =>
      look(
        right,
        async () => {
          await send();
          return ok('allowed');
        },
        (error) => rightRefused(right, error),
      ),
    ),
  );
}

/**
 * Asks to write every attribute that a run writes, as an acquire does, to an item that does not exist, and only if it
 * exists. So DynamoDB checks the rights, and writes nothing.
 */
async function tryToWrite({ client, keys }: DynamoDBTable): Promise<void> {
  const { UpdateItemCommand } = await import('@aws-sdk/client-dynamodb');
  const { tableName, partitionKey = 'lockName', sortKey, keyPrefix = '' } = keys;
  const names = Object.fromEntries(RECORD_ATTRIBUTES.map((name, i) => [`#a${i}`, name]));
  const command = new UpdateItemCommand({
    TableName: tableName,
    Key: {
      [partitionKey]: { S: keyPrefix + randomUUID() },
      ...(sortKey !== undefined && { [sortKey]: { S: 'lock' } }),
    },
    UpdateExpression: `SET ${Object.keys(names)
      .map((path) => `${path} = ${typeIs(names[path], 'N') ? ':n' : ':s'}`)
      .join(', ')}`,
    ConditionExpression: 'attribute_exists(#key)',
    ExpressionAttributeNames: { ...names, '#key': partitionKey },
    ExpressionAttributeValues: { ':n': { N: '1' }, ':s': { S: 'doctor' } },
    ReturnValues: 'ALL_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await client.send(command);
  } catch (error) {
    if (nameOfThrown(error) !== 'ConditionalCheckFailedException') throw error;
  }
}

const typeIs = (name: string | undefined, type: string): boolean => recordAttributeType(name ?? '') === type;

const NEEDED_BY: Readonly<Record<string, string>> = {
  'dynamodb:UpdateItem':
    'every run, and what changes a lock, needs it; the role of a function needs it for its own locks only',
  'dynamodb:GetItem': 'show, why, unlock, delete, backfill and forget need it',
  'dynamodb:Scan': 'ls needs it',
};

function rightRefused(right: string, error: unknown): Verdict {
  const cause = error instanceof LockStoreError ? error.cause : error;
  const name = nameOfThrown(cause);
  if (isDenied(cause)) return problem(`denied: ${name}`, `allow it to this role: ${NEEDED_BY[right]}`);
  return unknown(`refused: ${name}`, 'first fix the problems above');
}
