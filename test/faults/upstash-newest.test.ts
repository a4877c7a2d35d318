import { playTable } from './play-table.js';

playTable('Upstash through its newest client', { store: 'upstash', clients: 'newest' });
