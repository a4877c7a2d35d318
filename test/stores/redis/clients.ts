import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Redis as UpstashRedis } from '@upstash/redis';
import type { Cluster, Redis } from 'ioredis';
import type * as nodeRedis from 'redis';
import { type RedisStoreOptions, redisAdminStore, redisStore } from 'single-execution/redis';
import type { ContractHarness } from 'single-execution/testing';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { redisHarness } from '../../support/contract-harness.js';
import { packagesOf } from '../../support/package-sets.js';
import { startRestServer } from '../../support/rest-server.js';

/* The clients of Redis that the pages name: the real packages, with their defaults, in their oldest and newest majors. */

export interface Connected {
  readonly harness: ContractHarness;
  /** Put before each name of a lock, by the store and by the client. */
  readonly wholePrefix: string;
  close(): unknown;
}

export interface RedisServerAt {
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

export interface ClientPackage {
  readonly name: string;
  readonly version: string;
}

export interface TestedClient extends ClientPackage {
  /** What is special about this client, if it is not the package's usual one with its defaults. */
  readonly how?: string;
  /** @param keyPrefix of the store; without it, a prefix that no other client uses */
  connect(server: RedisServerAt, keyPrefix?: string): Promise<Connected>;
}

const here = createRequire(import.meta.url);
const ofClients = await packagesOf('test/clients-redis');

/** Loads a package of the set of clients, by the name that it has there. */
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
  throw new Error(`${alias} is not installed`);
}

interface Opened {
  readonly client: RedisStoreOptions['client'] & Partial<Record<'hSet' | 'hset', unknown>>;
  /** The prefix of the client itself. */
  readonly ownPrefix?: string | undefined;
  close(): unknown;
}

interface Way<M> {
  /** The name of the package in the set of clients. */
  readonly alias: string;
  readonly require?: NodeJS.Require | undefined;
  readonly how?: string | undefined;
  open(module: M, server: RedisServerAt): Opened | Promise<Opened>;
}

function tested<M>({ alias, require, how, open }: Way<M>): TestedClient {
  const { name, version, module } = load<M>(alias, require);
  return {
    name,
    version,
    ...(how !== undefined && { how }),
    async connect(server, keyPrefix = `${name} ${version} ${how}:`) {
      const { client, ownPrefix = '', close } = await open(module, server);
      const options = { client, keyPrefix };
      const hset = (client.hSet ?? client.hset) as (key: string, fields: object) => Promise<unknown>;
      return {
        harness: redisHarness({
          store: redisStore(options),
          admin: redisAdminStore(options),
          keyPrefix,
          hset: (key, fields) => hset.call(client, key, fields),
        }),
        wholePrefix: ownPrefix + keyPrefix,
        close,
      };
    },
  };
}

type IORedis = typeof import('ioredis');
/** A prefix with characters that have a meaning in patterns. */
const ODD_PREFIX = 'app*[1]:';

/** The class of a package like ioredis. Version 5.0 has only the default export. */
const classOf = (module: IORedis): typeof Redis => module.Redis ?? module.default;

function opened(client: Redis | Cluster, ownPrefix?: string): Opened {
  client.on('error', () => undefined);
  return { client, ownPrefix, close: () => client.disconnect() };
}

const ioredis = (alias: string, require?: NodeJS.Require, keyPrefix?: string): TestedClient =>
  tested<IORedis>({
    alias,
    require,
    how: keyPrefix && 'with a keyPrefix of its own',
    open: (module, { url }) => opened(new (classOf(module))(url, keyPrefix ? { keyPrefix } : {}), keyPrefix),
  });

const ioredisOfSentinels = (alias: string, require?: NodeJS.Require): TestedClient =>
  tested<IORedis>({
    alias,
    require,
    how: 'sentinels',
    open: (module, sentinel) => opened(new (classOf(module))({ sentinels: [sentinel], name: SENTINEL_NAME })),
  });

const ioredisCluster = (alias: string, require?: NodeJS.Require, keyPrefix?: string): TestedClient =>
  tested<IORedis>({
    alias,
    require,
    how: keyPrefix ? 'Cluster with a keyPrefix of its own' : 'Cluster',
    open(module, node) {
      const OfCluster = module.Cluster ?? module.default.Cluster;
      return opened(new OfCluster([node], keyPrefix ? { keyPrefix } : {}), keyPrefix);
    },
  });

type NodeRedis = typeof nodeRedis;

/** What all clients of node-redis have. Those of version 4 have no `destroy`. */
interface Connectable {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy?(): unknown;
  disconnect?(): unknown;
}

const ofNodeRedis = (
  alias: string,
  make: (module: NodeRedis, server: RedisServerAt) => Connectable & Opened['client'],
  { require, how }: { require?: NodeJS.Require; how?: string } = {},
): TestedClient =>
  tested<NodeRedis>({
    alias,
    require,
    how,
    async open(module, server) {
      const client = make(module, server);
      client.on('error', () => undefined);
      await client.connect();
      return { client, close: () => (client.destroy ? client.destroy() : client.disconnect?.()) };
    },
  });

const client = (module: NodeRedis, { url }: RedisServerAt) => module.createClient({ url });
const pool = (module: NodeRedis, { url }: RedisServerAt) => module.createClientPool({ url });
const cluster = (module: NodeRedis, { url }: RedisServerAt) => module.createCluster({ rootNodes: [{ url }] });
const sentinel = (module: NodeRedis, { host, port }: RedisServerAt) =>
  module.createSentinel({ name: SENTINEL_NAME, sentinelRootNodes: [{ host, port }] });

interface GlideClass {
  createClient(options: object): Promise<Opened['client'] & { close(): void }>;
}

/** The part of Valkey GLIDE that is used here; its package is in the set of clients only. */
interface Glide {
  readonly Logger: { init(level: string): void };
  readonly GlideClient: GlideClass;
  readonly GlideClusterClient: GlideClass;
}

const glide = (kind: 'GlideClient' | 'GlideClusterClient'): TestedClient =>
  tested<Glide>({
    alias: '@valkey/valkey-glide',
    how: kind,
    async open(module, { host, port }) {
      module.Logger.init('off');
      const made = await module[kind].createClient({ addresses: [{ host, port }] });
      return { client: made, close: () => made.close() };
    },
  });

function upstash(alias: string, require?: NodeJS.Require, settings: object = {}): TestedClient {
  const { name, version, module } = load<{ Redis: typeof UpstashRedis }>(alias, require);
  const [how] = Object.entries(settings).map(([option, value]) => `${option}: ${value}`);
  return {
    name,
    version,
    ...(how && { how }),
    async connect({ url }, keyPrefix = `${name} ${version} ${how}:`) {
      const rest = await startRestServer(url);
      const redis = new module.Redis({ url: rest.url, token: rest.token, ...settings });
      const options = { redis, keyPrefix };
      const hset = (key: string, fields: Record<string, string>) => redis.hset(key, fields);
      const locks = { store: upstashStore(options), admin: upstashAdminStore(options), ...options, hset };
      return { harness: redisHarness(locks), wholePrefix: keyPrefix, close: () => rest.stop() };
    },
  };
}

/** The name under which sentinels know the Redis of the tests. */
export const SENTINEL_NAME = 'locks';

/** Those of `npm test`. */
export const FIRST: readonly TestedClient[] = [ioredis('ioredis', here), upstash('@upstash/redis', here)];

/** Those of `npm run test:versions`. */
export const FURTHER: readonly TestedClient[] = [
  ioredis('ioredis', here, ODD_PREFIX),
  ioredis('ioredis-5'),
  ioredis('ioredis-5-newest'),
  ioredis('iovalkey'),
  ofNodeRedis('redis-4', client),
  ofNodeRedis('redis-4-newest', client),
  ofNodeRedis('redis-5', client),
  ofNodeRedis('redis-5-newest', client),
  ofNodeRedis('redis-6', client),
  ofNodeRedis('redis', client, { require: here }),
  ofNodeRedis('redis', pool, { require: here, how: 'createClientPool' }),
  glide('GlideClient'),
  upstash('@upstash/redis-oldest'),
  upstash('@upstash/redis', here, { automaticDeserialization: false }),
  upstash('@upstash/redis', here, { enableAutoPipelining: false }),
];

/** Clients of a cluster; each is given the address of one node. */
export const OF_A_CLUSTER: readonly TestedClient[] = [
  ioredisCluster('ioredis', here),
  ioredisCluster('ioredis', here, ODD_PREFIX),
  ioredisCluster('ioredis-5'),
  ioredisCluster('iovalkey'),
  ofNodeRedis('redis', cluster, { require: here, how: 'createCluster' }),
  ...['redis-4', 'redis-4-newest', 'redis-5', 'redis-5-newest'].map((alias) =>
    ofNodeRedis(alias, cluster, { how: 'createCluster' }),
  ),
  glide('GlideClusterClient'),
];

/** Clients that ask sentinels for the primary; each is given the address of one sentinel. */
export const OF_SENTINELS: readonly TestedClient[] = [
  ioredisOfSentinels('ioredis', here),
  ioredisOfSentinels('ioredis-5'),
  ioredisOfSentinels('iovalkey'),
  ofNodeRedis('redis', sentinel, { require: here, how: 'createSentinel' }),
  ofNodeRedis('redis-5', sentinel, { how: 'createSentinel' }),
];
