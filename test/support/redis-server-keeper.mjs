// Runs the redis-server given in memory on the port given and ends it when our stdin closes, which happens however
// the parent ends: normally, by a signal, or by kill -9.
import { spawn } from 'node:child_process';

const [, , program, port] = process.argv;
const inMemory = ['--save', '', '--appendonly', 'no', '--dbfilename', 'never-written-by-tests.rdb'];
const loopback = ['--bind', '127.0.0.1', '--protected-mode', 'no', '--port', port];
const redis = spawn(program, [...inMemory, ...loopback], { stdio: ['ignore', 'inherit', 'inherit'] });
redis.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
redis.on('exit', (code) => process.exit(code ?? 1));

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => redis.kill('SIGKILL'));
process.stdin.on('end', () => redis.kill('SIGKILL')).resume();
