import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort, HOST, startServer } from './kept-server.js';
import { type RedisServer, startRedisServer } from './redis-server.js';

const SLOTS = 16_384;
/** How long a server is silent before the others take it for dead: no machine stands still so long. */
const SILENT_MS = 30_000;
/** The same, once a test has ended the server. */
const DEAD_MS = 1_000;

export interface ClusterNode extends RedisServer {
  /** A connection to this node alone. It takes no part in the cluster. */
  readonly redis: Redis;
}

export interface RedisCluster {
  readonly masters: readonly ClusterNode[];
  /** One replica for each master, in the same order; none unless asked for. */
  readonly replicas: readonly ClusterNode[];
  /** Ends a master, which the others find soon. */
  crash(master: ClusterNode): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a real cluster of three masters. */
export async function startRedisCluster({ replicas: withReplicas = false } = {}): Promise<RedisCluster> {
  const masters = await Promise.all([startNode(), startNode(), startNode()]);
  const replicas = withReplicas ? await Promise.all([startNode(), startNode(), startNode()]) : [];
  const nodes = [...masters, ...replicas];
  const size = Math.ceil(SLOTS / masters.length);
  for (const [index, { redis }] of masters.entries()) {
    await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', index * size, Math.min((index + 1) * size, SLOTS) - 1);
  }
  await meet(nodes);
  for (const [index, { redis }] of replicas.entries()) {
    const id = String(await masters[index]?.redis.call('CLUSTER', 'MYID'));
    await until(async () => (await redis.call('CLUSTER', 'REPLICATE', id)) === 'OK');
  }
  await until(async () => (await Promise.all(nodes.map(isWell))).every(Boolean));
  if (withReplicas) await until(async () => (await Promise.all(replicas.map(isInSync))).every(Boolean));
  const stop = async () => {
    for (const { redis } of nodes) redis.disconnect();
    await Promise.all(nodes.map((node) => node.stop()));
  };
  const crash = async (master: ClusterNode) => {
    for (const { redis } of nodes) await redis.config('SET', 'cluster-node-timeout', DEAD_MS);
    await master.stop();
  };
  return { masters, replicas, crash, stop };
}

async function startNode(): Promise<ClusterNode> {
  const bus = String(await freePort());
  const settings = ['--cluster-enabled', 'yes', '--cluster-port', bus, '--cluster-node-timeout', String(SILENT_MS)];
  const server = await startRedisServer({ settings: [...settings, '--repl-diskless-sync-delay', '0'] });
  const redis = new Redis({ host: HOST, port: server.port, retryStrategy: () => 100 });
  redis.on('error', () => undefined);
  return { ...server, redis };
}

async function meet(nodes: readonly ClusterNode[]): Promise<void> {
  const [first, ...others] = nodes as readonly [ClusterNode, ...ClusterNode[]];
  const [, bus] = /@(\d+)/.exec(String(await first.redis.call('CLUSTER', 'NODES'))) ?? [];
  for (const { redis } of others) await redis.call('CLUSTER', 'MEET', HOST, first.port, Number(bus));
  await until(async () => {
    const known = await Promise.all(
      nodes.map(async ({ redis }) => knownNodes(String(await redis.call('CLUSTER', 'NODES')))),
    );
    return known.every((count) => count === nodes.length);
  });
}

const knownNodes = (text: string) =>
  text.split('\n').filter((line) => line !== '' && !line.includes('handshake')).length;

async function isWell({ redis }: ClusterNode): Promise<boolean> {
  const info = String(await redis.call('CLUSTER', 'INFO'));
  return info.includes('cluster_state:ok') && info.includes(`cluster_slots_ok:${SLOTS}`);
}

async function isInSync({ redis }: ClusterNode): Promise<boolean> {
  return (await redis.info('replication')).includes('master_link_status:up');
}

/** Asks until the answer is yes. Errors count as no. */
export async function until(ask: () => Promise<boolean>): Promise<void> {
  while (!(await ask().catch(() => false))) await sleep(50);
}

export interface Sentinels {
  /** One sentinel, whose vote is enough. */
  readonly sentinel: Pick<RedisServer, 'host' | 'port' | 'url'>;
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Lets the sentinel find that this primary is dead, and resolves when it names another one. */
  failedOver(from: RedisServer): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a primary with one replica, and a real sentinel that watches them. */
export async function startSentinels(name: string): Promise<Sentinels> {
  const primary = await startRedisServer({ settings: ['--repl-diskless-sync-delay', '0'] });
  const replica = await startRedisServer({ settings: ['--replicaof', HOST, String(primary.port)] });
  const ofReplica = new Redis(replica.url);
  await until(async () => (await ofReplica.info('replication')).includes('master_link_status:up'));
  ofReplica.disconnect();

  const settings = [
    `sentinel monitor ${name} ${HOST} ${primary.port} 1`,
    `sentinel down-after-milliseconds ${name} ${SILENT_MS}`,
    `sentinel failover-timeout ${name} 5000`,
  ];
  const { port, stop } = await startServer({
    name: 'redis-sentinel',
    ready: '+monitor master',
    startMs: 60_000,
    plan: (_, ofSentinel) => ({
      files: { 'sentinel.conf': [`port ${ofSentinel}`, `bind ${HOST}`, ...settings, ''].join('\n') },
      command: ['redis-server', 'sentinel.conf', '--sentinel'],
    }),
  });
  const asked = new Redis({ host: HOST, port });
  const primaryPort = async () =>
    Number(((await asked.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)) as string[])[1]);
  await until(async () => ((await asked.call('SENTINEL', 'REPLICAS', name)) as unknown[]).length === 1);
  return {
    sentinel: { host: HOST, port, url: `redis://${HOST}:${port}` },
    primary,
    replica,
    async failedOver(from) {
      await asked.call('SENTINEL', 'SET', name, 'down-after-milliseconds', DEAD_MS);
      while ((await primaryPort()) === from.port) await sleep(50);
    },
    async stop() {
      asked.disconnect();
      await Promise.all([stop(), primary.stop(), replica.stop()]);
    },
  };
}
