import { playTable } from './play-table.js';

playTable('rows 131 and 187 F1 F2 F3 F6 F17 F35 F53 F54 F179 the fault table: Postgres', 'postgres');
