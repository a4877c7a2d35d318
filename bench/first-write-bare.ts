/** A cold function that writes once with the bare SDK. See first-write.ts. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';

const [endpoint = '', TableName = '', lockName = ''] = process.argv.slice(2);
const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, region: 'local' }));
await client.send(
  new UpdateCommand({
    TableName,
    Key: { lockName },
    UpdateExpression: 'SET lockUntil = :until',
    ConditionExpression: 'attribute_not_exists(lockUntil)',
    ExpressionAttributeValues: { ':until': Date.now() + 60_000 },
    ReturnValues: 'ALL_OLD',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }),
);
const { user, system } = process.cpuUsage();
process.stdout.write(JSON.stringify({ timeMs: performance.now(), cpuMs: (user + system) / 1_000 }));
