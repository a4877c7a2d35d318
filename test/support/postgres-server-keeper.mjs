// Makes a cluster in a folder of its own, and runs the server of the programs given on it.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asOther, folderFor, handOver, keep, leave } from './kept-child.mjs';

const [, , programs, port, password] = process.argv;
const folder = folderFor('postgres');
const data = join(folder, 'data');
const secret = join(folder, 'password');
writeFileSync(secret, password);
handOver(folder);

const [initdb, ...initArgs] = asOther(
  join(programs, 'initdb'),
  ...['--pgdata', data, '--username', 'postgres', '--pwfile', secret, '--auth', 'scram-sha-256'],
  ...['--no-locale', '--encoding', 'UTF8', '--no-sync', '--no-instructions'],
);
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  autovacuum: 'off',
};
try {
  execFileSync(initdb, initArgs, { stdio: ['ignore', 'ignore', 'inherit'] });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  leave(folder, 1);
}
const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
keep(folder, asOther(join(programs, 'postgres'), '-D', data, '-p', port, ...flags));
