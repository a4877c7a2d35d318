// Runs a server in a folder of its own, and removes the folder when the server has ended. The line `down` on stdin ends
// the server but keeps the folder, and the line `up` starts the server in it again.
import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { folder, user, prepare, command, signal = 'SIGKILL', downSignal = 'SIGTERM' } = JSON.parse(process.argv[2]);
const asUser =
  user && process.getuid?.() === 0 ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'] : [];

function leave(code) {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

function run([program, ...args]) {
  execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The running server; undefined while it is down. */
let server;
/** What to do when the server has ended. */
let ended = leave;

function up() {
  const [program, ...args] = [...asUser, ...command];
  server = spawn(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  ended = leave;
  server.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    ended(1);
  });
  server.on('exit', (code) => ended(code ?? 1));
  endWith(server);
}

/** Ends the server when stdin closes. That happens however the parent ends: normally, by a signal, or by kill -9. */
function endWith(server) {
  const end = () => server.kill(signal);
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, end);
  process.stdin.on('end', end);
}

function down() {
  ended = () => {
    server = undefined;
    process.stdout.write('the server is down\n');
  };
  server.kill(downSignal);
}

try {
  if (asUser.length > 0) run(['chown', '-R', `${user}:${user}`, folder]);
  if (prepare) run([...asUser, ...prepare]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  leave(1);
}
up();
createInterface(process.stdin)
  .on('line', (line) => (line === 'up' ? up() : down()))
  .on('close', () => server ?? leave(0));
