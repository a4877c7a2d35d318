// Runs MariaDB in a folder of its own, with no rights to check: whoever connects may do everything.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { folderFor, keep } from './kept-child.mjs';

const [, , program, port, database] = process.argv;
const folder = folderFor('mariadb');
const data = join(folder, 'data');
// A database is a folder.
mkdirSync(join(data, database), { recursive: true });
const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
keep(folder, [
  program,
  ...['--no-defaults', ...asRoot, '--skip-grant-tables', '--bind-address=127.0.0.1', `--port=${port}`],
  ...[`--datadir=${data}`, `--socket=${join(folder, 'socket')}`, '--innodb-flush-log-at-trx-commit=0'],
]);
