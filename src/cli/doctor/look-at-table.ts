import type { DescribeTableCommandOutput, DynamoDBClient, TableDescription } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../core/values/clock.js';
import { timeResponses } from '../../stores/dynamodb/response-time.js';
import { dynamoDBClient, type TableAddress } from '../store/dynamodb-store.js';
import {
  clockVerdict,
  type Finding,
  look,
  NOBODY,
  nameOfThrown,
  ok,
  problem,
  unknown,
  type Verdict,
  warning,
} from './finding.js';

const KEY = 'lockName';
const DENIED = /AccessDenied|NotAuthorized|UnrecognizedClient|InvalidSignature|ExpiredToken|Credentials/;
const NO_TABLE = 'ResourceNotFoundException';

/** Looks at a DynamoDB table. Writes nothing: its one write has a condition that never holds. */
export async function lookAtTable(address: TableAddress, clock: Clock): Promise<readonly Finding[]> {
  const client = await dynamoDBClient(address);
  try {
    const { described, ...first } = await describe(client, address, clock);
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

async function describe(client: DynamoDBClient, { tableName }: TableAddress, clock: Clock) {
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
    (error) => tableRefused(error, tableName),
  );
  const bounds = time().clock;
  const findings: Finding[] = [table, ...(bounds ? [{ check: 'clock', ...clockVerdict(bounds) }] : [])];
  return { described, findings };
}

function tableRefused(error: unknown, tableName: string): Verdict {
  const name = nameOfThrown(error);
  if (name === NO_TABLE) {
    return problem(
      `${tableName} is not there, in this account and region`,
      'correct --table or --region, or make it: single-execution table create',
    );
  }
  if (DENIED.test(name)) return unknown(`may not look: ${name}`, 'allow dynamodb:DescribeTable, or give credentials');
  return problem(`DynamoDB did not answer: ${name}`, 'check the region, --endpoint and the network');
}

function keyOf({ KeySchema = [], AttributeDefinitions = [] }: TableDescription, { tableName }: TableAddress): Finding {
  const keys = KeySchema.map(({ AttributeName = '' }) => {
    const type = AttributeDefinitions.find((attribute) => attribute.AttributeName === AttributeName)?.AttributeType;
    return `${AttributeName} (${type})`;
  });
  const check = 'key schema';
  if (keys.join() === `${KEY} (S)`) return { check, ...ok(keys.join()) };
  return {
    check,
    ...problem(
      keys.join(', '),
      `stores of ${tableName} must name their partitionKey and sortKey, both of type S; this tool needs a table whose one key is ${KEY} (S)`,
    ),
  };
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

async function timeToLive(client: DynamoDBClient, { tableName, keyPrefix }: TableAddress): Promise<Finding> {
  const { DescribeTimeToLiveCommand } = await import('@aws-sdk/client-dynamodb');
  return look(
    'time to live',
    async () => {
      const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: tableName }));
      if (!ttl?.TimeToLiveStatus?.startsWith('ENABL')) return ok('off');
      const found = `on, by ${ttl.AttributeName}`;
      return keyPrefix
        ? warning(found, 'see that no lock has that attribute: a lock that is deleted forgets its ticks')
        : problem(found, 'turn it off: a lock that is deleted forgets which ticks are done, and its fencing token');
    },
    (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow dynamodb:DescribeTimeToLive'),
  );
}

/** Whether this role may do what runs and operators do. */
async function permissions(client: DynamoDBClient, { tableName, keyPrefix = '' }: TableAddress): Promise<Finding[]> {
  const { GetItemCommand, ScanCommand, UpdateItemCommand } = await import('@aws-sdk/client-dynamodb');
  const TableName = tableName;
  const Key = { [KEY]: { S: keyPrefix + NOBODY } };
  const never = `attribute_exists(${KEY}) AND attribute_not_exists(${KEY})`;
  const asked = {
    'dynamodb:UpdateItem': () =>
      client.send(
        new UpdateItemCommand({ TableName, Key, UpdateExpression: 'REMOVE doctor', ConditionExpression: never }),
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
