// Runs a server in a folder of its own, and removes the folder when the server has ended.
import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { keep } from './kept-child.mjs';

const { folder, user, prepare, command, signal } = JSON.parse(process.argv[2]);
const asUser =
  user && process.getuid?.() === 0 ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'] : [];

function leave(code) {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

function run([program, ...args]) {
  execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

try {
  if (asUser.length > 0) run(['chown', '-R', `${user}:${user}`, folder]);
  if (prepare) run([...asUser, ...prepare]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  leave(1);
}
const [program, ...args] = [...asUser, ...command];
keep(spawn(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] }), { signal, leave });
