import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { dynamoDBLocal, freshTable } from './dynamodb-local.js';

test('makes an empty table with the keys asked for', async () => {
  const { client } = dynamoDBLocal();
  const tableName = await freshTable(client, { partitionKey: 'pk', sortKey: 'sk' });

  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));

  expect(Table).toMatchObject({
    TableStatus: 'ACTIVE',
    ItemCount: 0,
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  });
});

test('gives every table a name of its own', async () => {
  const { client } = dynamoDBLocal();

  expect(await freshTable(client)).not.toBe(await freshTable(client));
});
