/**
 * Makes many calls at once in one process, fresh and then warm: `npx tsx bench/many.ts [calls…]`. Prints how many calls
 * failed, how many requests were sent for each request that was needed, and how long all calls took. The stores'
 * servers are in processes of their own.
 */
import type { ManyOrder, ManySaid } from '../test/chaos/many-at-once.js';
import { backendOf, freshPlace, KINDS } from '../test/support/backends.js';
import { bundledProgram } from '../test/support/bundled-program.js';
import { childPrograms } from '../test/support/child-program.js';

const CALLS = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [64, 1_000, 3_000];
const LOCKS = ['one', 'each', 'together'] as const;

const program = await bundledProgram(new URL('../test/chaos/many-at-once.ts', import.meta.url));
const programs = childPrograms();
try {
  for (const kind of KINDS.filter((one) => (process.env['STORES'] ?? one).includes(one))) {
    const engine = await backendOf(kind).start();
    // Making a table also warms the server.
    const store = await freshPlace(engine);
    for (const locks of LOCKS) for (const calls of CALLS) await many({ store, locks, calls, rounds: 3 });
    await engine.stop();
  }
} finally {
  await programs.stop();
  await program.remove();
}

async function many(order: ManyOrder): Promise<void> {
  const child = programs.start(program.path, order);
  const end = await child.ended;
  if (end.code !== 0) throw new Error(`the process ended with ${end.code}: ${end.stderr}`);
  const { store, locks, calls } = order;
  const { run, skip } = backendOf(store.kind).requests;
  const needed = locks === 'one' ? (calls - 1) * skip + run : calls * run;
  for (const [n, line] of child.said().entries()) {
    const { executed, skipped, errors, requests, seconds } = line as unknown as ManySaid;
    const failed = calls - executed - skipped;
    const state = n === 0 ? 'fresh' : 'warm';
    process.stdout.write(
      `${store.kind}, ${calls} calls, locks: ${locks}, ${state}: ${failed} failed ${JSON.stringify(errors)}, ${needed === 0 ? '-' : (requests / needed).toFixed(2)} requests for each needed, ${seconds.toFixed(2)} s\n`,
    );
  }
}
