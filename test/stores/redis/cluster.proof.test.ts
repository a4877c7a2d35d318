import { readFileSync } from 'node:fs';
import { Cluster } from 'ioredis';
import { createCluster } from 'redis';
import { lockAdmin } from 'single-execution/admin';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { call, claim, done, grant } from '../../support/one-run.js';
import { startRedisCluster } from '../../support/redis-cluster.js';
import { OF_A_CLUSTER } from './clients.js';
import { playContract, titleOf } from './play-contract.js';

const cluster = await startRedisCluster();
afterAll(() => cluster.stop());
const [first] = cluster.masters;
if (first === undefined) throw new Error('the cluster has no master');

playContract('row 140', OF_A_CLUSTER, first);

test('row 141 the rights of the page, with those for a cluster, are enough for its clients', async () => {
  const page = readFileSync(new URL('../../../docs/stores/redis.md', import.meta.url), 'utf8');
  const [, line = ''] = /^ACL SETUSER operators (.*)$/m.exec(page) ?? [];
  const [, more = ''] = /^- A cluster: add `(.*)`\.$/m.exec(page) ?? [];
  const rules = `${line} ${more}`.replace('>PASSWORD', '>secret').split(' ');
  for (const { redis } of cluster.masters) await redis.call('ACL', 'SETUSER', 'operators', ...rules);
  const login = { username: 'operators', password: 'secret' };

  const one = new Cluster([first], { redisOptions: login });
  const other = createCluster({ rootNodes: [{ url: first.url, ...login }], defaults: login });
  onTestFinished(() => {
    one.disconnect();
    other.destroy();
  });
  other.on('error', () => undefined);
  await other.connect();
  for (const [name, client] of [['rights of ioredis', one] as const, ['rights of node-redis', other] as const]) {
    await redisStore({ client }).release(await grant(redisStore({ client }), claim({ name })), done, call());
    const locks = await lockAdmin(redisAdminStore({ client })).list();
    expect(locks.map((lock) => lock.name)).toContain(name);
  }
});

test.each(OF_A_CLUSTER.map((client) => [titleOf(client), client] as const))(
  'row 140 F127 %s lists the locks of all masters',
  async (_, client) => {
    const { harness, close } = await client.connect(first);
    onTestFinished(async () => void (await close()));
    const { store, admin } = harness;
    if (admin === undefined) throw new Error('no admin');
    const names = Array.from({ length: 40 }, (__, n) => (n % 4 === 0 ? `list {${n}} of ${n}` : `list ${n}`)).toSorted();
    for (const name of names) await store.release(await grant(store, claim({ name })), done, call());

    const locks = await lockAdmin(admin).list();
    expect(
      locks
        .map(({ name }) => name)
        .filter((name) => name.startsWith('list'))
        .toSorted(),
    ).toEqual(names);
  },
);
