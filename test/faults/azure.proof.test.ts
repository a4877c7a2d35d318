import { playTable } from './play-table.js';

playTable('row 187 F1 F2 F3 F6 F17 F35 F53 F54 the fault table: Azure Table Storage', 'azure');
