import { playTable } from './play-table.js';

playTable('rows 8, 78, 136 and 187 F1 F2 F3 F6 F17 F35 F53 F54 F78 F122 the fault table: DynamoDB', 'dynamodb');
