import { randomUUID } from 'node:crypto';
import type { LockAdminStore, LockStore } from 'single-execution';
import { patientCall } from '../support/contract-harness.js';
import { dynamoDBLocal, freshTable } from '../support/dynamodb-local.js';
import { type FaultProxy, type SeenRequest, startFaultProxy } from '../support/fault-proxy.js';
import { attemptOf, verbOf } from '../support/lock-verb.js';
import { startRedisServer } from '../support/redis-server.js';
import { shiftedClock } from '../support/shifted-clock.js';
import { startUpstashBridge } from '../support/upstash-bridge.js';
import { type Library, libraryOn } from './clients.js';
import { recordText } from './record-text.js';
import type { StageOptions } from './stages.js';
import { upstashAttemptOf, upstashVerbOf } from './upstash-verb.js';

type MemberStore = ReturnType<Library['dynamoDBStore']>;

/** A store and its admin store over one client. */
export interface Stores {
  readonly store: LockStore & MemberStore;
  readonly admin: LockAdminStore;
}

/** The surroundings of one case: locks that no other case has, and a proxy of its own. */
export interface Scene extends Stores {
  readonly library: Library;
  readonly proxy: FaultProxy;
  /** Stores that reach the server past the proxy. */
  readonly direct: Stores;
  verbOf(request: SeenRequest): string;
  /** The ids of the attempts that the requests so far named. */
  attempts(): ReadonlySet<string>;
  /** The record of {@link NAME} in words, and its fencing token. */
  record(): Promise<{ readonly text: string; readonly fencingToken: unknown }>;
  stop(): Promise<void>;
}

/** The only lock of a scene. The store's key prefix keeps it apart from other scenes. */
export const NAME = 'job';

/** A real store, reached by the oldest or the newest client. */
export interface Stage {
  readonly options: StageOptions;
  scene(): Promise<Scene>;
  stop(): Promise<void>;
}

/** A client that opens stores. */
interface Connection {
  open(keyPrefix: string): Stores;
  close(): void;
}

/** How a stage reaches its real store. */
interface Backend {
  readonly endpoint: string;
  connect(endpoint: string): Connection;
  verbOf(request: SeenRequest): string;
  attemptOf(body: SeenRequest['body']): string | undefined;
  stop(): Promise<void>;
}

/** A call for requests that no fault strikes. */
const unstruckCall = () => patientCall(shiftedClock(0));

export async function startStage(options: StageOptions): Promise<Stage> {
  const { store, clients, retriesItself = false } = options;
  const library = await libraryOn(clients);
  const backend = store === 'dynamodb' ? await dynamoDB(library, retriesItself) : await upstash(library);

  // One connection for all scenes: a client takes longer to make than most cases take.
  const pastProxies = backend.connect(backend.endpoint);

  const scene = async (): Promise<Scene> => {
    const proxy = await startFaultProxy(backend.endpoint);
    const keyPrefix = `${randomUUID()}:`;
    const direct = pastProxies.open(keyPrefix);
    const connection = backend.connect(proxy.endpoint);
    const struck = connection.open(keyPrefix);
    // Warm up: a client learns some things of its server only once.
    await struck.admin.get('first of all', unstruckCall());
    proxy.reset();
    const attempts = () =>
      new Set(proxy.requests().flatMap(({ body }) => backend.attemptOf(body)?.match(/^a/)?.input ?? []));
    return {
      library,
      proxy,
      store: struck.store,
      admin: struck.admin,
      direct,
      verbOf: backend.verbOf,
      attempts,
      async record() {
        const { item = {} } = (await direct.admin.get(NAME, unstruckCall())) ?? {};
        return { text: recordText(item, attempts()), fencingToken: item['fencingToken'] };
      },
      async stop() {
        connection.close();
        await proxy.stop();
      },
    };
  };
  const stop = () => {
    pastProxies.close();
    return backend.stop();
  };
  return { options, scene, stop };
}

const READS: Readonly<Record<string, string>> = { GetItem: 'get', Scan: 'list' };

async function dynamoDB(library: Library, retriesItself: boolean): Promise<Backend> {
  const { client: tables, endpoint } = dynamoDBLocal();
  const tableName = await freshTable(tables);
  tables.destroy();
  return {
    endpoint,
    connect(at) {
      const client = new library.DynamoDBClient({ endpoint: at, maxAttempts: retriesItself ? 4 : 1 });
      return {
        open(keyPrefix) {
          const options = { client, tableName, keyPrefix };
          return { store: library.dynamoDBStore(options), admin: library.dynamoDBAdminStore(options) };
        },
        close: () => client.destroy(),
      };
    },
    verbOf({ operation, body }) {
      if (operation === 'UpdateItem') return verbOf(body);
      return READS[operation] ?? operation;
    },
    attemptOf,
    stop: async () => {},
  };
}

async function upstash(library: Library): Promise<Backend> {
  const server = await startRedisServer();
  const bridge = await startUpstashBridge({ redisPort: server.port });
  return {
    endpoint: bridge.url,
    connect(url) {
      const redis = new library.Redis({ url, token: bridge.token, retry: { retries: 0 } });
      return {
        open(keyPrefix) {
          const options = { redis, keyPrefix };
          return { store: library.upstashStore(options), admin: library.upstashAdminStore(options) };
        },
        close: () => {},
      };
    },
    verbOf: ({ body }) => upstashVerbOf(body),
    attemptOf: upstashAttemptOf,
    async stop() {
      await bridge.stop();
      await server.stop();
    },
  };
}
