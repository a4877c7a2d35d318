import { DatabaseSync } from 'node:sqlite';
import { playFileScenes } from './file-scenes.js';

/* Plays what can happen to a database file on node:sqlite, and prints what callers got. */

const seen = await playFileScenes((path) => {
  const client = new DatabaseSync(path);
  return {
    client,
    exec: async (sql) => client.exec(sql),
    async lock() {
      client.exec('BEGIN IMMEDIATE');
      return async () => client.exec('ROLLBACK');
    },
    close: () => client.close(),
  };
});
process.stdout.write(JSON.stringify(seen));
