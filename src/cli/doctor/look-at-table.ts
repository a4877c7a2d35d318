import type { DescribeTableCommandOutput, DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../core/values/clock.js';
import { isLockAttribute, timeResponses } from '../../stores/dynamodb/answer.js';
import { NOBODY } from '../known-lock.js';
import { dynamoDBClient, type TableAddress, type TableClient } from '../store/dynamodb-store.js';
import { systemWords } from '../store/reach.js';
import { clockVerdict, type Finding, look, nameOfThrown, ok, problem, unknown, type Verdict } from './finding.js';

const DENIED = /AccessDenied|NotAuthorized|UnrecognizedClient|InvalidSignature|ExpiredToken|Credentials/;
const NO_TABLE = 'ResourceNotFoundException';

/** Looks at a DynamoDB table. Writes nothing: its one write has a condition that never holds. */
export async function lookAtTable(address: TableAddress, clock: Clock): Promise<readonly Finding[]> {
  const table = await dynamoDBClient(address);
  const { client } = table;
  try {
    const { described, ...first } = await describe(table, address, clock);
    if (first.findings.some(({ status }) => status === 'problem') && !described) return first.findings;
    return [
      ...first.findings,
      ...(described ? [keyOf(described, address), replicasOf(described)] : []),
      await timeToLive(client, address),
      ...(await permissions(client, address)),
    ];
  } finally {
    client.destroy();
  }
}

async function describe({ client, place }: TableClient, { tableName }: TableAddress, clock: Clock) {
  const { DescribeTableCommand } = await import('@aws-sdk/client-dynamodb');
  const command = new DescribeTableCommand({ TableName: tableName });
  const time = timeResponses(command, clock);
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
  const bounds = time().clock;
  const findings: Finding[] = [table, ...(bounds ? [{ check: 'clock', ...clockVerdict(bounds) }] : [])];
  return { described, findings };
}

function tableRefused(error: unknown, tableName: string, place: TableClient['place']): Verdict {
  const name = nameOfThrown(error);
  if (name === NO_TABLE) {
    return problem(
      `${tableName} is not there, in this account and region`,
      'correct --table or --region, or make it: single-execution table create',
    );
  }
  if (DENIED.test(name)) return unknown(`may not look: ${name}`, 'allow dynamodb:DescribeTable, or give credentials');
  return problem(`${place.words()} did not answer: ${systemWords(error) ?? name}`, place.remedy);
}

function keyOf({ KeySchema = [], AttributeDefinitions = [] }: TableDescription, address: TableAddress): Finding {
  const check = 'key schema';
  const keys = KeySchema.map(({ AttributeName: name = '' }) => {
    const type = AttributeDefinitions.find((attribute) => attribute.AttributeName === name)?.AttributeType;
    return { name, type };
  });
  const found = keys.map(({ name, type }) => `${name} (${type})`).join(', ');
  if (keys.some(({ type }) => type !== 'S'))
    return { check, ...problem(found, 'use a table whose keys are of type S') };
  const names = keys.map(({ name }) => name);
  const { partitionKey, sortKey } = keysOf(address);
  if (names.join() === [partitionKey, ...(sortKey ? [sortKey] : [])].join()) return { check, ...ok(found) };
  const [partition, sort] = names;
  const options =
    sort === undefined ? `--partition-key ${partition}` : `--partition-key ${partition} --sort-key ${sort}`;
  return { check, ...problem(found, `give ${options}, and to stores the same as partitionKey and sortKey`) };
}

/** The keys that a lock has in this table. */
function keysOf({ partitionKey = 'lockName', sortKey }: TableAddress) {
  return { partitionKey, sortKey };
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

async function timeToLive(client: DynamoDBClient, { tableName }: TableAddress): Promise<Finding> {
  const { DescribeTimeToLiveCommand } = await import('@aws-sdk/client-dynamodb');
  return look(
    'time to live',
    async () => {
      const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: tableName }));
      if (!ttl?.TimeToLiveStatus?.startsWith('ENABL')) return ok('off');
      const found = `on, by ${ttl.AttributeName}`;
      return isLockAttribute(ttl.AttributeName ?? '')
        ? problem(found, 'turn it off: a lock that is deleted forgets which ticks are done, and its fencing token')
        : ok(`${found}, which no lock has`);
    },
    (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow dynamodb:DescribeTimeToLive'),
  );
}

/** Whether this role has the rights of runs and of operators. */
async function permissions(client: DynamoDBClient, address: TableAddress): Promise<Finding[]> {
  const { tableName, keyPrefix = '' } = address;
  const [{ GetItemCommand, ScanCommand, UpdateItemCommand }, { SORT_VALUE }] = await Promise.all([
    import('@aws-sdk/client-dynamodb'),
    import('../../stores/dynamodb/table.js'),
  ]);
  const TableName = tableName;
  const { partitionKey, sortKey } = keysOf(address);
  const Key = { [partitionKey]: { S: keyPrefix + NOBODY }, ...(sortKey && { [sortKey]: { S: SORT_VALUE } }) };
  const never = 'attribute_exists(#key) AND attribute_not_exists(#key)';
  const asked = {
    'dynamodb:UpdateItem': () =>
      client.send(
        new UpdateItemCommand({
          TableName,
          Key,
          UpdateExpression: 'REMOVE doctor',
          ConditionExpression: never,
          ExpressionAttributeNames: { '#key': partitionKey },
        }),
      ),
    'dynamodb:GetItem': () => client.send(new GetItemCommand({ TableName, Key })),
    'dynamodb:Scan': () => client.send(new ScanCommand({ TableName, Limit: 1 })),
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

const NEEDED_BY: Readonly<Record<string, string>> = {
  'dynamodb:UpdateItem': 'every run, and what changes a lock',
  'dynamodb:GetItem': 'show, why, unlock, delete, backfill and forget',
  'dynamodb:Scan': 'ls',
};

function rightRefused(right: string, error: unknown): Verdict {
  const name = nameOfThrown(error);
  if (name === 'ConditionalCheckFailedException') return ok('allowed');
  if (DENIED.test(name)) return problem(`denied: ${name}`, `allow it to this role: ${NEEDED_BY[right]} need it`);
  return unknown(`refused: ${name}`, 'correct what the lines above say first');
}
