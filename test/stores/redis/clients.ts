import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Redis as UpstashRedis } from '@upstash/redis';
import type { GlideClient } from '@valkey/valkey-glide';
import type { Redis } from 'ioredis';
import type * as nodeRedis from 'redis';
import { type RedisStoreOptions, redisAdminStore, redisStore } from 'single-execution/redis';
import type { ContractHarness } from 'single-execution/testing';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { redisHarness } from '../../support/redis-harness.js';
import { startRestServer } from '../../support/rest-server.js';

/* The clients of Redis that the pages name: the real packages, with their defaults, in their oldest and newest majors. */

export interface Connected {
  readonly harness: ContractHarness;
  close(): unknown;
}

export interface RedisServerAt {
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

/** A package, in one version. */
export interface ClientPackage {
  /** The name of the package, as people install it. */
  readonly name: string;
  readonly version: string;
}

export interface TestedClient extends ClientPackage {
  /** What is special about this client, if it is not the package's usual one with its defaults. */
  readonly how?: string;
  connect(server: RedisServerAt): Promise<Connected>;
}

const here = createRequire(import.meta.url);
const ofClients = createRequire(new URL('../../clients-redis/package.json', import.meta.url));

/** Loads a package of the workspace of clients, by the name that it has there. */
function load<T>(alias: string, require = ofClients): ClientPackage & { readonly module: T } {
  const paths = require.resolve.paths(alias) ?? [];
  for (const path of paths) {
    try {
      const { name, version } = JSON.parse(readFileSync(`${path}/${alias}/package.json`, 'utf8'));
      return { name, version: version.replace(/^v/, ''), module: require(alias) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`${alias} is not installed: npm ci`);
}

type Hset = (key: string, fields: Record<string, string>) => Promise<unknown>;

function connected(
  client: RedisStoreOptions['client'],
  keyPrefix: string,
  hset: Hset,
  close: () => unknown,
): Connected {
  const options = { client, keyPrefix };
  return {
    harness: redisHarness({ store: redisStore(options), admin: redisAdminStore(options), keyPrefix, hset }),
    close,
  };
}

const prefixOf = (name: string, version: string, how = '') => `${name} ${version} ${how}:`;

function ioredis(alias: string, settings: { keyPrefix?: string } = {}, require = ofClients): TestedClient {
  const { name, version, module } = load<typeof import('ioredis')>(alias, require);
  const how = settings.keyPrefix === undefined ? undefined : 'with a key prefix of its own';
  return {
    name,
    version,
    ...(how && { how }),
    async connect({ url }) {
      // Version 5.0 has only the default export.
      const client: Redis = new (module.Redis ?? module.default)(url, settings);
      const hset: Hset = (key, fields) => client.hset(key, fields);
      return connected(client, prefixOf(name, version, how), hset, () => client.disconnect());
    },
  };
}

function ofNodeRedis(alias: string, require = ofClients): TestedClient {
  const { name, version, module } = load<typeof nodeRedis>(alias, require);
  return {
    name,
    version,
    async connect({ url }) {
      const client = module.createClient({ url });
      client.on('error', () => undefined);
      await client.connect();
      return connected(
        client,
        prefixOf(name, version),
        (key, fields) => client.hSet(key, fields),
        () => client.disconnect(),
      );
    },
  };
}

function nodeRedisPool(alias: string, require = ofClients): TestedClient {
  const { name, version, module } = load<typeof nodeRedis>(alias, require);
  const how = 'a pool';
  return {
    name,
    version,
    how,
    async connect({ url }) {
      const client = module.createClientPool({ url });
      client.on('error', () => undefined);
      await client.connect();
      const hset: Hset = (key, fields) => client.hSet(key, fields);
      return connected(client, prefixOf(name, version, how), hset, () => client.destroy());
    },
  };
}

function glide(): TestedClient {
  const alias = '@valkey/valkey-glide';
  const { name, version, module } = load<typeof import('@valkey/valkey-glide')>(alias);
  return {
    name,
    version,
    async connect({ host, port }) {
      module.Logger.init('off');
      const client: GlideClient = await module.GlideClient.createClient({ addresses: [{ host, port }] });
      return connected(
        client,
        prefixOf(name, version),
        (key, fields) => client.hset(key, fields),
        () => client.close(),
      );
    },
  };
}

function upstash(alias: string, settings: object = {}, require = ofClients): TestedClient {
  const { name, version, module } = load<{ Redis: typeof UpstashRedis }>(alias, require);
  const how = Object.keys(settings).length === 0 ? undefined : JSON.stringify(settings);
  return {
    name,
    version,
    ...(how && { how }),
    async connect({ url }) {
      const rest = await startRestServer(url);
      const redis = new module.Redis({ url: rest.url, token: rest.token, ...settings });
      const options = { redis, keyPrefix: prefixOf(name, version, how) };
      const hset: Hset = (key, fields) => redis.hset(key, fields);
      const locks = { store: upstashStore(options), admin: upstashAdminStore(options), ...options, hset };
      return { harness: redisHarness(locks), close: () => rest.stop() };
    },
  };
}

/** Those of `npm test`. */
export const FIRST: readonly TestedClient[] = [ioredis('ioredis', {}, here), upstash('@upstash/redis', {}, here)];

/** Those of `npm run proof`. */
export const FURTHER: readonly TestedClient[] = [
  ioredis('ioredis', { keyPrefix: 'app*[1]:' }, here),
  ioredis('ioredis-5'),
  ioredis('ioredis-5-newest'),
  ioredis('iovalkey'),
  ofNodeRedis('redis-4'),
  ofNodeRedis('redis-4-newest'),
  ofNodeRedis('redis-5'),
  ofNodeRedis('redis-5-newest'),
  ofNodeRedis('redis-6'),
  ofNodeRedis('redis', here),
  nodeRedisPool('redis', here),
  glide(),
  upstash('@upstash/redis-oldest'),
  upstash('@upstash/redis', { automaticDeserialization: false }, here),
  upstash('@upstash/redis', { enableAutoPipelining: false }, here),
];

function ioredisCluster(alias: string, settings: { keyPrefix?: string } = {}, require = ofClients): TestedClient {
  const { name, version, module } = load<typeof import('ioredis')>(alias, require);
  const how = settings.keyPrefix === undefined ? 'Cluster' : 'Cluster with a key prefix of its own';
  return {
    name,
    version,
    how,
    async connect({ host, port }) {
      // Version 5.0 has it on the default export only.
      const Cluster = module.Cluster ?? module.default.Cluster;
      const client = new Cluster([{ host, port }], settings);
      client.on('error', () => undefined);
      const hset: Hset = (key, fields) => client.hset(key, fields);
      return connected(client, prefixOf(name, version, how), hset, () => client.disconnect());
    },
  };
}

function nodeRedisCluster(alias: string, require = ofClients): TestedClient {
  const { name, version, module } = load<typeof nodeRedis>(alias, require);
  const how = 'createCluster';
  return {
    name,
    version,
    how,
    async connect({ url }) {
      const client = module.createCluster({ rootNodes: [{ url }] });
      client.on('error', () => undefined);
      await client.connect();
      const close = () => ('destroy' in client ? client.destroy() : (client as { disconnect(): unknown }).disconnect());
      return connected(client, prefixOf(name, version, how), (key, fields) => client.hSet(key, fields), close);
    },
  };
}

function glideCluster(): TestedClient {
  const alias = '@valkey/valkey-glide';
  const how = 'GlideClusterClient';
  const { name, version, module } = load<typeof import('@valkey/valkey-glide')>(alias);
  return {
    name,
    version,
    how,
    async connect({ host, port }) {
      module.Logger.init('off');
      const client = await module.GlideClusterClient.createClient({ addresses: [{ host, port }] });
      const hset: Hset = (key, fields) => client.hset(key, fields);
      return connected(client, prefixOf(name, version, how), hset, () => client.close());
    },
  };
}

/** Clients of a cluster; each is given the address of one node. */
export const OF_A_CLUSTER: readonly TestedClient[] = [
  ioredisCluster('ioredis', {}, here),
  ioredisCluster('ioredis', { keyPrefix: 'app*[1]:' }, here),
  ioredisCluster('ioredis-5'),
  ioredisCluster('iovalkey'),
  nodeRedisCluster('redis', here),
  nodeRedisCluster('redis-4'),
  nodeRedisCluster('redis-4-newest'),
  nodeRedisCluster('redis-5'),
  nodeRedisCluster('redis-5-newest'),
  glideCluster(),
];

/** The name under which sentinels know the Redis of the tests. */
export const SENTINEL_NAME = 'locks';

function ioredisOfSentinels(alias: string, require = ofClients): TestedClient {
  const { name, version, module } = load<typeof import('ioredis')>(alias, require);
  const how = 'sentinels';
  return {
    name,
    version,
    how,
    async connect({ host, port }) {
      const sentinels = [{ host, port }];
      const client: Redis = new (module.Redis ?? module.default)({ sentinels, name: SENTINEL_NAME });
      client.on('error', () => undefined);
      const hset: Hset = (key, fields) => client.hset(key, fields);
      return connected(client, prefixOf(name, version, how), hset, () => client.disconnect());
    },
  };
}

function nodeRedisSentinel(alias: string, require = ofClients): TestedClient {
  const { name, version, module } = load<typeof nodeRedis>(alias, require);
  const how = 'createSentinel';
  return {
    name,
    version,
    how,
    async connect({ host, port }) {
      const client = module.createSentinel({ name: SENTINEL_NAME, sentinelRootNodes: [{ host, port }] });
      client.on('error', () => undefined);
      await client.connect();
      const hset: Hset = (key, fields) => client.hSet(key, fields);
      return connected(client, prefixOf(name, version, how), hset, () => client.destroy());
    },
  };
}

/** Clients that ask sentinels for the primary; each is given the address of one sentinel. */
export const OF_SENTINELS: readonly TestedClient[] = [
  ioredisOfSentinels('ioredis', here),
  ioredisOfSentinels('ioredis-5'),
  ioredisOfSentinels('iovalkey'),
  nodeRedisSentinel('redis', here),
  nodeRedisSentinel('redis-5'),
];
