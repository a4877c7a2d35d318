// Makes a cluster in a folder of its own, runs the server of the programs given on it, and ends both when our stdin
// closes, which happens however the parent ends: normally, by a signal, or by kill -9.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , programs, port, password] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
const data = join(folder, 'data');
const secret = join(folder, 'password');
writeFileSync(secret, password);
// Postgres does not run as root.
const asOther = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
if (asOther.length > 0) execFileSync('chown', ['-R', 'postgres:postgres', folder]);
const order = (program, ...args) => [...asOther, join(programs, program), ...args];
const clean = () => rmSync(folder, { recursive: true, force: true });

const [initdb, ...initArgs] = order(
  'initdb',
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
  clean();
  process.exit(1);
}
const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
const [postgres, ...args] = order('postgres', '-D', data, '-p', port, ...flags);
const server = spawn(postgres, args, { stdio: ['ignore', 'inherit', 'inherit'] });
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  clean();
  process.exit(1);
});
server.on('exit', (code) => {
  clean();
  process.exit(code ?? 1);
});

const end = () => server.kill('SIGQUIT');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
process.stdin.on('end', end).resume();
