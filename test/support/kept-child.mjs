// What the keepers of PostgreSQL's programs share: a folder of their own, and a server that ends when our stdin closes,
// which happens however the parent ends: normally, by a signal, or by kill -9.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// These programs do not run as root.
const AS_OTHER = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];

/** Makes a folder for the files of a server. */
export const folderFor = (name) => mkdtempSync(join(tmpdir(), `${name}-`));

/** Gives the folder to the user as whom its server runs. Call it once the folder's files are written. */
export function handOver(folder) {
  if (AS_OTHER.length > 0) execFileSync('chown', ['-R', 'postgres:postgres', folder]);
}

/** A command and its arguments, as that user. */
export const asOther = (...command) => [...AS_OTHER, ...command];

/** Removes the folder and ends this process. */
export function leave(folder, code) {
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

/** Runs a server until our stdin closes. */
export function keep(folder, [command, ...args]) {
  const server = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  server.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    leave(folder, 1);
  });
  server.on('exit', (code) => leave(folder, code ?? 1));
  const end = () => server.kill('SIGQUIT');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end);
  process.stdin.on('end', end).resume();
}
