import { lockAdmin } from 'single-execution/admin';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, claim, done, grant } from '../../support/one-run.js';
import {
  type ClusterNode,
  type RedisCluster,
  type Sentinels,
  startRedisCluster,
  startSentinels,
  until,
} from '../../support/redis-cluster.js';
import { connectedTo } from '../../support/redis-server.js';
import {
  type Connected,
  OF_A_CLUSTER,
  OF_SENTINELS,
  type RedisServerAt,
  SENTINEL_NAME,
  type TestedClient,
} from './clients.js';
import { titleOf } from './play-contract.js';
import { startRace } from './racers.js';

/*
 * Slots that move, and primaries that fail. No acknowledged write is lost here: a failover by hand waits for the
 * replica, and before a crash all writes are on the replica. What a failover can lose is said in docs/stores/redis.md.
 */

type Opened = readonly (readonly [string, Connected])[];

const PREFIX = 'lock:';
const openAll = (clients: readonly TestedClient[], server: RedisServerAt): Promise<Opened> =>
  Promise.all(clients.map(async (client) => [titleOf(client), await client.connect(server, PREFIX)] as const));
/** Those whose locks have the same keys. */
const storesOf = (opened: Opened) =>
  new Map(
    opened.flatMap(([title, { wholePrefix, harness }]) => (wholePrefix === PREFIX ? [[title, harness.store]] : [])),
  );
const closeAll = (opened: Opened) => Promise.all(opened.map(([, { close }]) => close()));

/** A name of a lock whose key lies on this node. */
async function nameOn({ redis }: ClusterNode, prefix: string, start: string): Promise<string> {
  for (let n = 0; ; n++) {
    const name = `${start} ${n}`;
    const isHere = await redis.exists(prefix + name).then(
      () => true,
      () => false,
    );
    if (isHere) return name;
  }
}

const listOf = async ({ harness: { admin } }: Connected) => {
  if (admin === undefined) throw new Error('a client without an admin store');
  return (await lockAdmin(admin).list()).map(({ name }) => name);
};

describe('a cluster', () => {
  let cluster: RedisCluster;
  let opened: Opened;
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicas: true });
    const [first] = cluster.masters;
    if (first) opened = await openAll(OF_A_CLUSTER, first);
  });
  afterAll(async () => {
    await closeAll(opened ?? []);
    await cluster?.stop();
  });

  const nodeAt = (index: number) => {
    const [master, replica] = [cluster.masters[index], cluster.replicas[index]];
    if (master === undefined || replica === undefined) throw new Error(`no node ${index}`);
    return { master, replica };
  };

  test('row 140 F127 keeps a lock while its slot moves, and is listed whole or not at all', async () => {
    const [{ master: from }, { master: to }] = [nodeAt(0), nodeAt(1)];
    const [fromId, toId] = await Promise.all([from, to].map(({ redis }) => redis.call('CLUSTER', 'MYID')));
    for (const [title, connected] of opened) {
      const { store, admin } = connected.harness;
      const name = await nameOn(from, connected.wholePrefix, title);
      const key = connected.wholePrefix + name;
      const slot = Number(await from.redis.call('CLUSTER', 'KEYSLOT', key));
      const lease = await grant(store, claim({ name }));
      expect(await listOf(connected), title).toContain(name);

      await to.redis.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(fromId));
      await from.redis.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(toId));
      expect(await store.acquire(claim({ name }), call()), title).toMatchObject({
        status: 'refused',
        reason: 'locked',
      });
      await expect(admin?.list(call(1_000)), title).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
      await from.redis.call('MIGRATE', to.host, to.port, key, 0, 5_000);
      expect(await store.extend(lease, { leaseMs: 60_000 }, call()), title).toMatchObject({ status: 'extended' });
      for (const { redis } of [to, from]) await redis.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(toId));
      expect(await store.release(lease, done, call()), title).toBe('released');
      expect(await listOf(connected), title).toContain(name);
    }
  });

  test('F128 a failover by hand lets no two handlers in, and every client goes on', async () => {
    const { master, replica } = nodeAt(1);
    const race = startRace(await nameOn(master, PREFIX, 'by hand'), storesOf(opened));
    await race.allRan();
    await replica.redis.call('CLUSTER', 'FAILOVER');
    await until(async () => (await replica.redis.info('replication')).includes('role:master'));
    await race.allRan();
    await race.end();
  });

  // A client of node-redis 4 that finds the new primary at a bad moment waits for the old one for ever.
  const comesBack = ([title]: Opened[number]) => !title.startsWith('redis 4');
  test('F128 a primary that crashes lets no two handlers in, and every client goes on without a restart', async () => {
    const { master, replica } = nodeAt(2);
    const race = startRace(await nameOn(master, PREFIX, 'crash'), storesOf(opened.filter(comesBack)));
    await race.allRan();
    await race.rest();
    expect(await master.redis.wait(1, 5_000)).toBe(1);
    await cluster.crash(master);
    race.goOn();
    await race.allRan();
    await race.end();
    expect(await replica.redis.info('replication')).toContain('role:master');
    for (const [title, connected] of opened.filter(comesBack)) {
      await expect(listOf(connected), title).resolves.toBeDefined();
    }
  });
});

describe('a sentinel', () => {
  let sentinels: Sentinels;
  let opened: Opened;
  beforeAll(async () => {
    sentinels = await startSentinels(SENTINEL_NAME);
    opened = await openAll(OF_SENTINELS, sentinels.sentinel);
  });
  afterAll(async () => {
    await closeAll(opened ?? []);
    await sentinels?.stop();
  });

  test('F128 and a primary that crashes let no two handlers in, and every client goes on', async () => {
    const { primary } = sentinels;
    const race = startRace('failover', storesOf(opened));
    await race.allRan();
    await race.rest();
    const direct = await connectedTo(primary.port);
    expect(await direct.wait(1, 5_000)).toBe(1);
    direct.disconnect();
    await primary.stop();
    race.goOn();
    await sentinels.failedOver(primary);
    await race.allRan();
    await race.end();
  });
});
