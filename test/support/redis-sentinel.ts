import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { HOST, startServer } from './kept-server.js';
import { until } from './redis-cluster.js';
import { type RedisServer, startRedisServer } from './redis-server.js';

export interface Sentinels {
  /** One sentinel, whose vote is enough. */
  readonly sentinel: Pick<RedisServer, 'host' | 'port' | 'url'>;
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Resolves when the sentinel names another primary than this one. */
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
    `sentinel down-after-milliseconds ${name} 1000`,
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
      while ((await primaryPort()) === from.port) await sleep(50);
    },
    async stop() {
      asked.disconnect();
      await Promise.all([stop(), primary.stop(), replica.stop()]);
    },
  };
}
