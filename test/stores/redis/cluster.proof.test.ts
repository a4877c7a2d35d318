import { lockAdmin } from 'single-execution/admin';
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
