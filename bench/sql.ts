/**
 * Measures what a run and a skip cost above a lease row that people write by hand, and on Postgres and MySQL above an
 * advisory lock, over the same client; then many calls at once for one lock: `npx tsx bench/sql.ts [rounds] [22|24]`. The
 * second argument is a version of Node. A table of Azure is measured beside a lease by hand in the same way.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressOf, startAzurite } from '../test/support/azurite.js';
import { startMariaDB } from '../test/support/mariadb.js';
import { nodeBinary } from '../test/support/node-binary.js';
import { startPostgresServer } from '../test/support/postgres-server.js';

const [rounds = '60', version] = process.argv.slice(2);
const node = version === undefined ? process.execPath : await nodeBinary(version === '22' ? 22 : 24);
const program = fileURLToPath(new URL('./sql-work.ts', import.meta.url));
const postgres = await startPostgresServer();
const mysql = await startMariaDB();
const azurite = await startAzurite();
const folder = await mkdtemp(join(tmpdir(), 'bench-sql-'));
try {
  for (const at of [postgres.url, mysql.url, `file:${join(folder, 'locks.db')}`, addressOf(azurite.url)]) {
    const work = spawn(node, ['--import', 'tsx', program, at, rounds], { stdio: 'inherit' });
    const [code] = await once(work, 'exit');
    if (code !== 0) throw new Error(`the work on ${at} ended with ${code}`);
  }
} finally {
  await Promise.all([postgres.stop(), mysql.stop(), azurite.stop()]);
  await rm(folder, { recursive: true });
}
