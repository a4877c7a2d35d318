import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';
import { type BundledProgram, bundledProgram } from '../test/support/bundled-program.js';
import { type ChildPrograms, childPrograms, type Said } from '../test/support/child-program.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';
import { installed } from '../test/support/package-sets.js';
import { startRedisServer } from '../test/support/redis-server.js';
import { startUpstashBridge } from '../test/support/upstash-bridge.js';
import type { Order, Place } from './systems/host.js';

export interface System {
  /** The name of the system's program in `systems/`. It identifies the system. */
  readonly file: string;
  readonly name: string;
  readonly engine: 'DynamoDB' | 'Redis' | 'Upstash';
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

export const SYSTEMS: readonly System[] = [
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

export const ENGINES = ['DynamoDB', 'Redis', 'Upstash'] as const;

/** Real servers, and one bundled program for each system, built as its users deploy it. */
export interface Stage {
  readonly urls: Readonly<Record<System['engine'], string>>;
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
  const [local, redis] = await Promise.all([startDynamoDBLocal(), startRedisServer()]);
  const bridge = await startUpstashBridge({ redisPort: redis.port });
  const bundles = new Map<System, BundledProgram>();
  for (const system of SYSTEMS) {
    const source = new URL(`./systems/${system.file}.ts`, import.meta.url);
    bundles.set(system, await bundledProgram(source, {}, ['knex', 'kysely']));
  }
  const client = new DynamoDBClient({ endpoint: local.endpoint, ...LOCAL });
  const urls = { DynamoDB: local.endpoint, Redis: redis.url, Upstash: bridge.url };
  let tables = 0;
  const programOf = (system: System) => bundles.get(system)?.path ?? '';
  return {
    urls,
    redisPort: redis.port,
    token: bridge.token,
    programOf,
    async freshTable() {
      const tableName = `table-${++tables}`;
      await createLockTable(client, { tableName });
      return tableName;
    },
    async host(system, place, env = {}, shim) {
      const whole = { url: urls[system.engine], token: bridge.token, tableName: '', leaseMs: 3_600_000, ...place };
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
      await bridge.stop();
      await Promise.all([local.stop(), redis.stop()]);
    },
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
