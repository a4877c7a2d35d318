import { playTable } from './play-table.js';

playTable('DynamoDB through a client that tries again by itself', {
  store: 'dynamodb',
  clients: 'newest',
  retriesItself: true,
});
