import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { byHand, refused } from './by-hand.js';
import { host } from './host.js';

await host(({ tableName, leaseMs }) => {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
  const at = (lockName: string) => ({ TableName: tableName, Key: { lockName } });
  return byHand({
    take: (name, owner) =>
      client
        .send(
          new UpdateCommand({
            ...at(name),
            UpdateExpression: 'SET lockOwner = :owner, lockUntil = :until',
            ConditionExpression: 'attribute_not_exists(lockUntil) OR lockUntil < :now',
            ExpressionAttributeValues: { ':owner': owner, ':now': Date.now(), ':until': Date.now() + leaseMs },
          }),
        )
        .then(() => true, refused),
    give: (name, owner) =>
      client
        .send(
          new DeleteCommand({
            ...at(name),
            ConditionExpression: 'lockOwner = :owner',
            ExpressionAttributeValues: { ':owner': owner },
          }),
        )
        .catch(refused),
  });
});
