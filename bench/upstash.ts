/**
 * What a run and a skip cost above the lock that people write by hand, a SET NX PX and a compare-and-delete in Lua,
 * over the same unmodified client of @upstash/redis: `npx tsx bench/upstash.ts [rounds]`. The Redis and its REST bridge
 * are in processes of their own, so that CPU is the client's alone. Both kinds take turns, see side-by-side.ts.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from '@upstash/redis';
import { withSingleExecution } from 'single-execution';
import { lambdaContext } from 'single-execution/testing';
import { upstashStore } from 'single-execution/upstash';
import { newAttemptId } from '../src/core/values/attempt-id.js';
import { compare } from './side-by-side.js';

const ROUNDS = Number(process.argv[2] ?? 60);
const LEASE_MS = 60_000;
const OLD_TICK = Date.UTC(2026, 0, 1);
const COMPARE_AND_DELETE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;

const server = fork(fileURLToPath(new URL('./upstash-server.ts', import.meta.url)));
try {
  const [{ url, token }] = await once(server, 'message');
  const redis = new Redis({ url, token, retry: { retries: 0 } });
  const store = upstashStore({ redis });

  /** A wrapped handler, called as Lambda would, with a tick per event. */
  const wrapped = (name: string) => {
    const options = { name, store, tick: (event: { tick: number }) => event.tick, observers: [] };
    const handler = withSingleExecution(async (_: { tick: number }) => undefined, options);
    const context = lambdaContext();
    return (tick: number) => handler({ tick }, context);
  };
  const take = (key: string, id: string) => redis.set(key, id, { nx: true, px: LEASE_MS });
  const bareRun = async () => {
    const id = newAttemptId();
    if ((await take('bare', id)) !== 'OK') throw new Error('the bare lock is held');
    if ((await redis.eval(COMPARE_AND_DELETE, ['bare'], [id])) !== 1) throw new Error('the bare lock was lost');
  };
  const bareSkip = async () => {
    if ((await take('bare, held', newAttemptId())) !== null) throw new Error('the bare lock was free');
  };

  let tick = Date.now() - 10_000_000;
  const ours = wrapped('ours');
  const done = wrapped('done');
  await ours(tick++);
  await done(Date.now());
  await redis.set('bare, held', newAttemptId());

  const kinds = {
    'a bare run': bareRun,
    'our run': () => ours(tick++),
    'a bare skip': bareSkip,
    'our skip': () => done(OLD_TICK),
  };
  for (const [kind, work] of Object.entries(kinds)) {
    const before = await requests();
    await work();
    process.stdout.write(`REST requests of ${kind}: ${(await requests()) - before}\n`);
  }
  const run = { bare: kinds['a bare run'], ours: kinds['our run'] };
  await compare('a run, against a SET NX PX and a compare-and-delete by EVAL', ROUNDS, run);
  const skip = { bare: kinds['a bare skip'], ours: kinds['our skip'] };
  await compare('a skip, against a refused SET NX PX', ROUNDS, skip);
} finally {
  server.disconnect();
}

/** The REST requests so far. */
async function requests(): Promise<number> {
  server.send('requests');
  const [count] = await once(server, 'message');
  return count;
}
