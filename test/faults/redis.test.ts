import { playTable } from './play-table.js';

playTable('rows 2 and 187 F1 F2 F3 F6 F17 F35 F53 F54 F136 the fault table: Redis', 'redis');
