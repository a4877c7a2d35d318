import { Redis } from 'ioredis';
import { lockAdmin } from 'single-execution/admin';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { builtCli } from '../support/built-cli.js';
import { innerCli } from '../support/inner-cli.js';
import { call, claim, done, grant } from '../support/one-run.js';
import { startRedisCluster, startSentinels } from '../support/redis-cluster.js';

/* `--redis-url` with the URL of one node, of a cluster or of a sentinel. */

const cluster = await startRedisCluster();
const cli = await builtCli(['redis', '@redis']);
afterAll(async () => {
  await cluster.stop();
  await cli.remove();
});
const [first] = cluster.masters;
const url = first?.url ?? '';
const names = Array.from({ length: 12 }, (_, n) => `job ${n}`).toSorted();

/** A client of one node, as for a Redis without a cluster. */
function ofOneNode(): Redis {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}

test('row 140 the tool reaches all locks of a cluster by the URL of one node', async () => {
  for (const name of names)
    expect((await innerCli(['run', '--name', name, '--redis-url', url, '--', 'true'])).code).toBe(0);

  for (const run of [innerCli, cli.run]) {
    const { code, stdout } = await run(['ls', '--json', '--redis-url', url]);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(names);
    // A process for each name would take long, and the command is the same.
    const shown = run === innerCli ? names : names.slice(0, 1);
    for (const name of shown) expect((await run(['show', name, '--redis-url', url])).code).toBe(0);
    expect(await run(['doctor', '--redis-url', url])).toMatchObject({ code: 0 });
  }
});

test('F127 a client of one node lists no part of the locks, and says which client to use', async () => {
  const client = ofOneNode();
  await expect(lockAdmin(redisAdminStore({ client })).list()).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    message: expect.stringMatching(/a node of a cluster|one node of a cluster/),
  });
});

test('F127 a client of one node is told so by an acquire of a lock on another node', async () => {
  const store = redisStore({ client: ofOneNode() });
  const errors: unknown[] = [];
  for (const name of names) {
    await grant(store, claim({ name })).then(
      (lease) => store.release(lease, done, call()),
      (error: unknown) => errors.push(error),
    );
  }
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) {
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining('new Cluster([…])') });
  }
});

test('row 140 the URL of a sentinel is refused with what to pass in its place', async () => {
  const sentinels = await startSentinels('locks');
  onTestFinished(() => sentinels.stop());
  const { code, stderr } = await innerCli(['ls', '--redis-url', sentinels.sentinel.url]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/if it is a Sentinel/);
});
