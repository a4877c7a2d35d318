import { DatabaseSync } from 'node:sqlite';
import { playFileScenes, syncFile } from './file-scenes.js';

/* Plays what can happen to a database file on node:sqlite, and prints what callers got. */

const seen = await playFileScenes((path) => syncFile(new DatabaseSync(path)));
process.stdout.write(JSON.stringify(seen));
