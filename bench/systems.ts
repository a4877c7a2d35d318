import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';
import { bundleWorker, startWorker } from '../test/edge/workerd.js';
import { addressOf, startAzurite } from '../test/support/azurite.js';
import { type BundledProgram, bundledProgram } from '../test/support/bundled-program.js';
import { type ChildPrograms, childPrograms, type Said } from '../test/support/child-program.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import { startMariaDB } from '../test/support/mariadb.js';
import { installed } from '../test/support/package-sets.js';
import { startPostgresServer } from '../test/support/postgres-server.js';
import { startRedisServer } from '../test/support/redis-server.js';
import { startUpstashBridge } from '../test/support/upstash-bridge.js';
import type { Order, Place } from './systems/host.js';

/** The engines that rivals of ours use, too. These systems are measured and probed in every way. */
export const RIVALED = ['DynamoDB', 'Redis', 'Upstash'] as const;
/** The engines on which we have only a lock by hand beside ours. */
const DATABASES = ['Postgres', 'MySQL', 'SQLite', 'Durable Objects', 'Azure'] as const;
export const ENGINES = [...RIVALED, ...DATABASES];
export type Engine = (typeof ENGINES)[number];

export interface System {
  /** The name of the system's program in `systems/`. It identifies the system on its engine. */
  readonly file: string;
  readonly name: string;
  readonly engine: Engine;
  /** The export statements of which a user's bundle of the system is made; empty for a lock by hand. */
  readonly exports: readonly string[];
  /**
   * Whether a call that finds the lock held waits for a whole lease before it asks again, so that skips cannot be
   * measured.
   */
  readonly waits?: boolean;
  /** Whether the system makes each tick idempotent, but lets two ticks run at once. */
  readonly isNoLock?: boolean;
}

const US = 'single-execution';

/** What is measured on engines that rivals of ours use, too. */
export const RIVALS: readonly System[] = [
  {
    file: 'ours-dynamodb',
    name: US,
    engine: 'DynamoDB',
    exports: [`export { withSingleExecution } from '${US}'`, `export { dynamoDBStore } from '${US}/dynamodb'`],
  },
  { file: 'bare-sdk', name: 'by hand, bare SDK', engine: 'DynamoDB', exports: [] },
  { file: 'document-client', name: 'by hand, document client', engine: 'DynamoDB', exports: [] },
  {
    file: 'powertools',
    name: 'Powertools idempotency 2.35.0',
    engine: 'DynamoDB',
    exports: [
      "export { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'",
      "export { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb'",
    ],
    isNoLock: true,
  },
  {
    file: 'dynamodb-lock-client',
    name: 'dynamodb-lock-client 0.7.3',
    engine: 'DynamoDB',
    exports: ["export { default } from 'dynamodb-lock-client'"],
    waits: true,
  },
  {
    file: 'ours-redis',
    name: US,
    engine: 'Redis',
    exports: [`export { withSingleExecution } from '${US}'`, `export { redisStore } from '${US}/redis'`],
  },
  { file: 'by-hand-redis', name: 'by hand, SET NX + EVAL', engine: 'Redis', exports: [] },
  {
    file: 'redlock',
    name: 'redlock 4.2.0',
    engine: 'Redis',
    exports: ["export { default } from 'redlock'"],
  },
  {
    file: 'redlock-5',
    name: 'redlock 5.0.0-beta.2',
    engine: 'Redis',
    exports: ["export { default } from 'redlock-5'"],
  },
  {
    file: 'verrou',
    name: '@verrou/core 0.5.2',
    engine: 'Redis',
    exports: ["export { Verrou } from '@verrou/core'", "export { redisStore } from '@verrou/core/drivers/redis'"],
  },
  {
    file: 'ours-upstash',
    name: US,
    engine: 'Upstash',
    exports: [`export { withSingleExecution } from '${US}'`, `export { upstashStore } from '${US}/upstash'`],
  },
  { file: 'by-hand-upstash', name: 'by hand, SET NX + EVAL', engine: 'Upstash', exports: [] },
  {
    file: 'upstash-lock',
    name: '@upstash/lock 0.2.1',
    engine: 'Upstash',
    exports: ["export { Lock } from '@upstash/lock'"],
  },
];

/** The leases by hand in databases: see databases.ts. */
const LEASES: Readonly<Record<(typeof DATABASES)[number], string>> = {
  Postgres: 'by hand, a lease row',
  MySQL: 'by hand, a lease row',
  SQLite: 'by hand, a lease row',
  'Durable Objects': 'by hand, an object with a lease',
  Azure: 'by hand, an entity',
};

export const SYSTEMS: readonly System[] = [
  ...RIVALS,
  ...DATABASES.flatMap((engine) => {
    const has = { Postgres: 'pg_try_advisory_lock', MySQL: 'GET_LOCK' }[engine as string];
    return [
      { file: 'ours-database', name: US, engine, exports: [] },
      { file: 'by-hand-database', name: LEASES[engine], engine, exports: [] },
      ...(has === undefined ? [] : [{ file: 'advisory-lock', name: `by hand, ${has}`, engine, exports: [] }]),
    ];
  }),
];

/** Real servers, and one bundled program for each system, built as its users deploy it. */
export interface Stage {
  readonly urls: Readonly<Record<Engine, string>>;
  /** The URLs of an engine over the networks of round-trips.ts; a file has only the first. */
  readonly networks: Readonly<Record<Engine, readonly string[]>>;
  readonly redisPort: number;
  readonly token: string;
  /** Returns the bundled program of a system. */
  programOf(system: System): string;
  /** Makes an empty table for a system, and resolves to its name. */
  freshTable(): Promise<string>;
  /** Starts a host of a system. */
  host(system: System, place: Partial<Place>, env?: Readonly<Record<string, string>>, shim?: string): Promise<Host>;
  stop(): Promise<void>;
}

export interface Host {
  /** @throws Error if the delivery rejects */
  order(order: Order): Promise<Said>;
  said(): readonly Said[];
  kill(): void;
}

export async function startStage(): Promise<Stage> {
  Object.assign(process.env, AS_AWS);
  await installed('bench/systems');
  const programs: ChildPrograms = childPrograms();
  const [{ urls, redisPort, token, stop }, bundles] = [await startServers(), await bundlesOf(SYSTEMS)];
  const networks = await startNetworks(urls);
  const client = new DynamoDBClient({ endpoint: urls.DynamoDB, ...LOCAL });
  let tables = 0;
  const programOf = ({ file }: System) => bundles.get(file)?.path ?? '';
  return {
    urls,
    networks: networks.urls,
    redisPort,
    token,
    programOf,
    async freshTable() {
      const tableName = `table-${++tables}`;
      await createLockTable(client, { tableName });
      return tableName;
    },
    async host(system, place, env = {}, shim) {
      const whole = { url: urls[system.engine], token, tableName: '', leaseMs: 3_600_000, ...place };
      const options = shim === undefined ? [] : ['--import', shim];
      const variables = { ...AS_AWS, AWS_ENDPOINT_URL_DYNAMODB: whole.url, ...env };
      const program = programs.start(programOf(system), whole, options, variables);
      await program.until('ready');
      let orders = 0;
      return {
        said: program.said,
        kill: () => program.kill('SIGKILL'),
        async order(order) {
          const id = ++orders;
          program.tell(JSON.stringify({ ...order, id }));
          const answer = await program.until('done', (line) => line['id'] === id);
          if (answer['error'] !== undefined) throw new Error(`${system.file}: ${answer['error']}`);
          return answer;
        },
      };
    },
    async stop() {
      await programs.stop();
      client.destroy();
      for (const bundle of bundles.values()) await bundle.remove();
      networks.stop();
      await stop();
    },
  };
}

/** Starts a server of each engine. */
async function startServers() {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const worker = await bundleWorker(fileURLToPath(new URL('./leases.worker.ts', import.meta.url)));
  const objects = { LOCKS: 'TestedObject', LEASES: 'LeaseObject' };
  const [local, redis, postgres, mysql, azurite, workerd] = await Promise.all([
    startDynamoDBLocal(),
    startRedisServer(),
    startPostgresServer(),
    startMariaDB(),
    startAzurite(),
    startWorker(worker, {}, { objects }),
  ]);
  const bridge = await startUpstashBridge({ redisPort: redis.port });
  const urls: Record<Engine, string> = {
    DynamoDB: local.endpoint,
    Redis: redis.url,
    Upstash: bridge.url,
    Postgres: postgres.url,
    MySQL: mysql.url,
    SQLite: `file:${join(folder, 'locks.db')}`,
    'Durable Objects': workerd.url,
    Azure: addressOf(azurite.url),
  };
  const stop = async () => {
    await bridge.stop();
    await Promise.all([local, redis, postgres, mysql, azurite, workerd].map((server) => server.stop()));
    await rm(folder, { recursive: true });
  };
  return { urls, redisPort: redis.port, token: bridge.token, stop };
}

async function bundlesOf(systems: readonly System[]): Promise<ReadonlyMap<string, BundledProgram>> {
  const bundles = new Map<string, BundledProgram>();
  for (const { file } of systems) {
    const source = new URL(`./systems/${file}.ts`, import.meta.url);
    if (!bundles.has(file)) bundles.set(file, await bundledProgram(source, {}, ['knex', 'kysely']));
  }
  return bundles;
}

/** Puts networks in front of the servers. */
async function startNetworks(urls: Readonly<Record<Engine, string>>) {
  const reached = ENGINES.filter((engine) => !urls[engine].startsWith('file:'));
  const program = fileURLToPath(new URL('./slow-networks.ts', import.meta.url));
  const child = fork(
    program,
    reached.map((engine) => urls[engine]),
    { execArgv: ['--import', 'tsx'] },
  );
  const [networks] = (await once(child, 'message')) as [string[][]];
  const ofEngine = (engine: Engine) => networks[reached.indexOf(engine)] ?? [urls[engine]];
  return {
    urls: Object.fromEntries(ENGINES.map((engine) => [engine, ofEngine(engine)])) as unknown as Stage['networks'],
    stop: () => child.disconnect(),
  };
}

const LOCAL = { region: 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const AS_AWS = {
  AWS_REGION: 'local',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SDK_JS_SUPPRESS_MAINTENANCE_MODE_MESSAGE: '1',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
};
