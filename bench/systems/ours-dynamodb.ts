import { dynamoDBStore } from 'single-execution/dynamodb';
import { host } from './host.js';
import { wrapped } from './wrapped.js';

await host(({ tableName, leaseMs }) => wrapped(dynamoDBStore({ tableName }), leaseMs));
