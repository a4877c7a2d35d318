/**
 * Measures what a run and a skip cost above a lock that people write by hand, a SET NX PX and a compare-and-delete by
 * EVALSHA, over the same ioredis and the same node-redis: `npx tsx bench/redis.ts [rounds] [22|24]`. The second
 * argument is a version of Node.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bundledProgram } from '../test/support/bundled-program.js';
import { nodeBinary } from '../test/support/node-binary.js';
import { startRedisServer } from '../test/support/redis-server.js';

const [rounds = '60', version] = process.argv.slice(2);
const node = version === undefined ? process.execPath : await nodeBinary(version === '22' ? 22 : 24);
const server = await startRedisServer();
const program = await bundledProgram(new URL('./redis-work.ts', import.meta.url));
try {
  for (const client of ['ioredis', 'node-redis']) {
    const work = spawn(node, [program.path, server.url, rounds, client], { stdio: 'inherit' });
    await once(work, 'exit');
  }
} finally {
  await server.stop();
  await program.remove();
}
