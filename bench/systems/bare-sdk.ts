import { DeleteItemCommand, DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { byHand, refused } from './by-hand.js';
import { host } from './host.js';

await host(({ tableName, leaseMs }) => {
  const client = new DynamoDBClient({});
  const at = (name: string) => ({ TableName: tableName, Key: { lockName: { S: name } } });
  return byHand({
    take: (name, owner) =>
      client
        .send(
          new UpdateItemCommand({
            ...at(name),
            UpdateExpression: 'SET lockOwner = :owner, lockUntil = :until',
            ConditionExpression: 'attribute_not_exists(lockUntil) OR lockUntil < :now',
            ExpressionAttributeValues: {
              ':owner': { S: owner },
              ':now': { N: String(Date.now()) },
              ':until': { N: String(Date.now() + leaseMs) },
            },
          }),
        )
        .then(() => true, refused),
    give: (name, owner) =>
      client
        .send(
          new DeleteItemCommand({
            ...at(name),
            ConditionExpression: 'lockOwner = :owner',
            ExpressionAttributeValues: { ':owner': { S: owner } },
          }),
        )
        .catch(refused),
  });
});
