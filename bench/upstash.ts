/**
 * Measures what a run and a skip cost above a lock that people write by hand, a SET NX PX and a compare-and-delete in
 * Lua, over the same unmodified client of @upstash/redis: `npx tsx bench/upstash.ts [rounds] [20|22|24] [layers]`. The
 * second argument is a version of Node; `layers` shows where the cost of a skip comes from. The work is bundled, as
 * users' programs are, and done in a process of its own, so that its CPU is the client's alone. Redis and its REST
 * bridge run in other processes. The two kinds alternate: see side-by-side.ts.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '../test/support/bundled-program.js';
import { nodeBinary } from '../test/support/node-binary.js';

const [rounds = '60', version = '20', layers] = process.argv.slice(2);
const node = version === '20' ? process.execPath : await nodeBinary(version === '22' ? 22 : 24);
const server = fork(fileURLToPath(new URL('./upstash-server.ts', import.meta.url)));
const work = layers === undefined ? './upstash-work.ts' : './upstash-layers.ts';
const program = await bundledProgram(new URL(work, import.meta.url));
try {
  const [{ url, token }] = await once(server, 'message');
  await once(spawn(node, [program.path, url, token, rounds], { stdio: 'inherit' }), 'exit');
} finally {
  server.disconnect();
  await program.remove();
}
