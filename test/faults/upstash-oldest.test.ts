import { playTable } from './play-table.js';

playTable('Upstash through the oldest client', { store: 'upstash', clients: 'oldest' });
