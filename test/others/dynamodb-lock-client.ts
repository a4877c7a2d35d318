export { default as AWS } from 'aws-sdk';
export { default as DynamoDBLockClient } from 'dynamodb-lock-client';
