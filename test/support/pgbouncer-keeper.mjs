// Runs pgbouncer, in transaction mode, before a Postgres of this machine, and ends it when our stdin closes, which
// happens however the parent ends: normally, by a signal, or by kill -9.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [, , program, port, database] = process.argv;
const { hostname, port: serverPort, username, password } = new URL(database);
const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
const users = join(folder, 'users.txt');
const settings = join(folder, 'pgbouncer.ini');
writeFileSync(users, `"${username}" "${password}"\n`);
writeFileSync(
  settings,
  `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
`,
);
// It does not run as root.
const asOther = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
if (asOther.length > 0) execFileSync('chown', ['-R', 'postgres:postgres', folder]);
const [command, ...args] = [...asOther, program, settings];
const bouncer = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
const clean = () => rmSync(folder, { recursive: true, force: true });
bouncer.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  clean();
  process.exit(1);
});
bouncer.on('exit', (code) => {
  clean();
  process.exit(code ?? 1);
});

const end = () => bouncer.kill('SIGQUIT');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
process.stdin.on('end', end).resume();
