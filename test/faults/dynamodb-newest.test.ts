import { playTable } from './play-table.js';

playTable('DynamoDB through its newest client', { store: 'dynamodb', clients: 'newest' });
