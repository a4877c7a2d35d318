// Runs pgbouncer, in transaction mode, before a Postgres of this machine.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asOther, folderFor, handOver, keep } from './kept-child.mjs';

const [, , program, port, database] = process.argv;
const { hostname, port: serverPort, username, password } = new URL(database);
const folder = folderFor('pgbouncer');
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
handOver(folder);
keep(folder, asOther(program, settings));
