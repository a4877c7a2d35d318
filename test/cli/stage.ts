import { randomUUID } from 'node:crypto';
import { executeWithLock, type LockAdminStore } from 'single-execution';
import { type LockAdmin, lockAdmin } from 'single-execution/admin';
import { afterAll, beforeAll } from 'vitest';
import { KINDS as STORE_KINDS } from '../../src/cli/store/kinds.js';
import type { LockStore } from '../../src/core/ports/lock-store.js';
import { systemClock } from '../../src/core/values/clock.js';
import { type BackendStage, startBackends, warmUp } from '../support/backends/stage.js';
import { type Kind, kindsWith } from '../support/backends.js';
import { type BuiltCli, builtCli, type CliEnd, PEERS, type StartedCli } from '../support/built-cli.js';
import { innerCli } from '../support/inner-cli.js';
import { call, claim, done } from '../support/one-run.js';

/** The folders of node_modules with the clients of all stores of processes. */
export const DATABASE_CLIENTS = [
  ...new Set(STORE_KINDS.flatMap(({ job }) => job?.needed ?? []).map((name) => name.replace(/\/.*/, ''))),
];

export const KINDS = kindsWith('tool');

/** The command-line tool over one real store. */
export interface StoreStage {
  readonly store: LockStore;
  readonly admin: LockAdmin;
  readonly adminStore: LockAdminStore;
  /** The options that name the store. */
  readonly args: readonly string[];
  /** The variables with which these options find the store. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command on the store. */
  run(...args: readonly string[]): Promise<CliEnd>;
  /** Runs a command on the store, and resolves to the JSON that it printed. */
  json(...args: readonly string[]): Promise<unknown>;
}

export interface CliStage {
  readonly cli: BuiltCli;
  on(kind: Kind): StoreStage;
}

/** The published tool and real stores, for the tests of one file. All commands but `console` run in this process. */
export function cliStage(): () => CliStage {
  let stores: BackendStage;
  let cli: BuiltCli;
  beforeAll(async () => {
    [stores, cli] = await Promise.all([startBackends(...KINDS), builtCli([...PEERS, ...DATABASE_CLIENTS])]);
    for (const kind of KINDS) await warmUp(stores.on(kind).store);
  });
  afterAll(async () => {
    await Promise.all([stores?.stop(), cli?.remove()]);
  });
  const on = (kind: Kind): StoreStage => {
    const { store, admin, engine, address } = stores.on(kind);
    const args = engine.args(address);
    const env = { ...process.env, ...engine.env };
    const run = (...own: readonly string[]) => {
      const line = withStore(own, args);
      return own[0] === 'console' ? cli.run(line, env) : innerCli(line, env);
    };
    return {
      store,
      admin: lockAdmin(admin),
      adminStore: admin,
      args,
      env,
      run,
      async json(...own) {
        const { code, stdout, stderr } = await run(...own, '--json');
        if (code !== 0) throw new Error(`${own.join(' ')} ended with ${code}: ${stderr}`);
        return JSON.parse(stdout);
      },
    };
  };
  return () => ({ cli, on });
}

/** Puts the store's options before `--`. */
function withStore(own: readonly string[], store: readonly string[]): readonly string[] {
  const end = own.indexOf('--');
  return end === -1 ? [...own, ...store] : [...own.slice(0, end), ...store, ...own.slice(end)];
}

/** The clients that the tool can use: the kind of store, and the folders of the packages. */
export const CLIENTS: Readonly<Record<string, readonly [kind: Kind, ...packages: string[]]>> = {
  pg: ['postgres', 'pg'],
  'postgres.js': ['postgres', 'postgres'],
  mysql2: ['mysql', 'mysql2'],
  mariadb: ['mysql', 'mariadb'],
  ioredis: ['redis', 'ioredis'],
  'node-redis': ['redis', 'redis', '@redis'],
  'the AWS SDK': ['dynamodb', '@aws-sdk'],
  '@upstash/redis': ['upstash', '@upstash'],
  '@azure/data-tables': ['azure', '@azure'],
};

/** A port on which nothing listens. The system gives it to no server that asks for a free one, and fetch takes it. */
export const CLOSED_PORT = 2;

/** The options and the variables that name a store on a port where another server, or none, listens. */
export function addressAt(kind: Kind, port: number): readonly [args: string[], env: Record<string, string>] {
  const url = `http://127.0.0.1:${port}`;
  if (kind === 'dynamodb') return [['--table', 'locks', '--endpoint', url, '--region', 'local'], {}];
  if (kind === 'upstash') return [['--upstash'], { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: 'hunter2' }];
  if (kind === 'azure') {
    const AZURE_STORAGE_CONNECTION_STRING = `TableEndpoint=${url}/acme;SharedAccessSignature=sp=rau&sig=hunter2`;
    return [['--azure-table', 'locks'], { AZURE_STORAGE_CONNECTION_STRING }];
  }
  const database = kind === 'redis' ? '' : '/jobs';
  return [[`--${kind}-url`, `${kind}://ada:hunter2@127.0.0.1:${port}${database}`], {}];
}

/** Resolves when a process has printed these words. */
export function untilText({ child }: StartedCli, words: string): Promise<void> {
  let seen = '';
  return new Promise((resolve) =>
    child.stdout?.on('data', (chunk) => {
      seen += chunk;
      if (seen.includes(words)) resolve();
    }),
  );
}

export const freshName = (job = 'job'): string => `${job}-${randomUUID().slice(0, 8)}`;

/** Makes a run of a tick, to its end. */
export async function ran(store: LockStore, name: string, tick?: Date, result: 'succeeded' | 'failed' = 'succeeded') {
  const task = () => {
    if (result === 'failed') throw new Error('as told');
  };
  const options = { name, store, lockAtMostFor: '1m', observers: [], ...(tick && { tick }) };
  await executeWithLock(task, options).catch(() => undefined);
}

/** Makes a run of the given length at an instant of a scene, on a turned clock. */
export async function ranAt(
  store: LockStore,
  name: string,
  run: {
    readonly tick: Date;
    readonly atMs: number;
    readonly tookMs: number;
    readonly lockedBy: string;
    readonly failed?: boolean;
    readonly schedule?: string | undefined;
  },
) {
  const { tick, atMs, tookMs, lockedBy, failed = false, schedule } = run;
  const lease = await taken(store, name, { tick: tick.getTime(), lockedBy, clock: clockAt(atMs), schedule });
  const failure = { result: 'failed', error: 'TypeError', markTickDone: false, markTickFailed: true } as const;
  const completion = { ...done, ...(failed && failure), durationMs: tookMs };
  const end = await store.release(lease, completion, callBy(clockAt(atMs + tookMs)));
  if (end !== 'released') throw new Error(`${name} was not released: ${end}`);
}

/** The clocks of a host at an instant of a scene. */
export function clockAt(ms: number): typeof systemClock {
  return { ...systemClock, now: () => ms };
}

const callBy = (clock: typeof systemClock) => ({ ...call(15_000), tryMs: 5_000, maxClockSkewMs: 0, clock });

interface Taken {
  readonly leaseMs?: number;
  readonly lockedBy?: string;
  readonly tick?: number;
  readonly clock?: typeof systemClock;
  readonly schedule?: string | undefined;
}

/** Makes a grant that nobody releases. */
export async function taken(
  store: LockStore,
  name: string,
  { leaseMs = 3_600_000, lockedBy = 'web-1', tick = Number.NaN, clock = systemClock, schedule }: Taken = {},
) {
  const ofTick = Number.isNaN(tick) ? {} : { tickMs: tick, ...(schedule !== undefined && { schedule }) };
  const result = await store.acquire(claim({ name, leaseMs, lockedBy, ...ofTick }), callBy(clock));
  if (result.status !== 'acquired') throw new Error(`${name} was not granted`);
  return result.lease;
}
