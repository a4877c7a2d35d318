import { playTable } from './play-table.js';

playTable('DynamoDB through the oldest client', { store: 'dynamodb', clients: 'oldest' });
