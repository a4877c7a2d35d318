import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import { describe } from '../../core/values/checks.js';
import { defined } from '../../core/values/defined.js';
import { nameProblem } from '../../core/values/names.js';
import type { CommandLine, Environment } from '../command.js';
import { wrongUse } from '../exit-code.js';
import { openDynamoDB, type TableAddress } from './dynamodb-store.js';
import { openRedis, type RedisAddress } from './redis-store.js';
import { openSql, type SqlAddress } from './sql-store.js';
import { openUpstash } from './upstash-store.js';

/** A store that a command has opened. */
export interface OpenStore {
  readonly kind: StoreAddress['kind'];
  readonly store: LockStore;
  readonly admin: LockAdminStore;
  /** Ends its connections. */
  close(): void;
}

/** The address of a store, from the command line and the environment. */
export type StoreAddress =
  | ({ readonly kind: 'dynamodb' } & TableAddress)
  | ({ readonly kind: 'redis' } & RedisAddress)
  | { readonly kind: 'upstash'; readonly keyPrefix?: string }
  | SqlAddress;

/** The options of a table, by the fields of its address. */
const OF_DYNAMODB = {
  'partition-key': 'partitionKey',
  'sort-key': 'sortKey',
  endpoint: 'endpoint',
  region: 'region',
  profile: 'profile',
} as const;
/** Options that each name a store. `--table` names one of DynamoDB, or the table in an SQL database. */
export const OF_OTHERS = ['redis-url', 'upstash', 'postgres-url', 'sqlite'] as const;

/** @throws CliError if no store is named, or more than one */
export function storeAddress(line: Pick<CommandLine, 'text' | 'has'>, env: Environment): StoreAddress {
  const named = ['table', ...OF_OTHERS].filter((option) => line.has(option));
  const isInTable = line.has('postgres-url') || line.has('sqlite');
  const [one, other] = named.filter((option) => !isInTable || option !== 'table');
  if (other !== undefined) throw wrongUse(`--${one} and --${other} name two stores: give one of them`);
  const isFree = named.length === 0 && !env['LOCK_TABLE'];
  const address = otherAddress(line, isFree ? env : {});
  const stray = Object.keys(OF_DYNAMODB).find((option) => line.has(option));
  if (stray && address) throw wrongUse(`--${stray} is for DynamoDB: give --table too`);
  return address ?? { kind: 'dynamodb', ...tableAddress(line, env) };
}

/** A store that is not DynamoDB, if one is named. */
function otherAddress(line: Pick<CommandLine, 'text' | 'has'>, env: Environment): StoreAddress | undefined {
  const given = defined({ keyPrefix: line.text('prefix') });
  const inTable = { ...given, ...defined({ table: line.text('table') }) };
  const redisUrl = line.text('redis-url') ?? env['REDIS_URL'];
  const file = line.text('sqlite');
  const databaseUrl = env['DATABASE_URL'];
  const postgresUrl = line.text('postgres-url') ?? (databaseUrl?.startsWith('postgres') ? databaseUrl : undefined);
  if (line.has('upstash')) return { kind: 'upstash', ...given };
  if (redisUrl) return { kind: 'redis', url: urlOf('redis-url', redisUrl), ...given };
  if (file !== undefined) return { kind: 'sqlite', at: file, ...inTable };
  return postgresUrl ? { kind: 'postgres', at: urlOf('postgres-url', postgresUrl), ...inTable } : undefined;
}

/** @throws CliError if neither the command line nor the environment names a table */
export function tableAddress(line: Pick<CommandLine, 'text'>, env: Environment): TableAddress {
  const tableName = line.text('table') ?? env['LOCK_TABLE'];
  if (!tableName) {
    throw wrongUse(
      'no store is named: give --table NAME, --redis-url URL, --upstash, --postgres-url URL or --sqlite FILE, or set LOCK_TABLE',
    );
  }
  const keyPrefix = line.text('prefix') ?? env['LOCK_KEY_PREFIX'];
  const endpoint = line.text('endpoint');
  if (endpoint !== undefined && !/^https?:\/\/./.test(URL.canParse(endpoint) ? endpoint : '')) {
    throw wrongUse(`--endpoint is ${describe(endpoint)}: give a URL such as http://127.0.0.1:8000`);
  }
  const fields = Object.entries(OF_DYNAMODB).map(([option, field]) => [field, line.text(option)] as const);
  return { tableName, ...(keyPrefix ? { keyPrefix } : {}), ...defined(Object.fromEntries(fields)) };
}

/** @throws CliError if the package that the store needs is missing */
export async function openStore(address: StoreAddress, env: Environment): Promise<OpenStore> {
  const { keyPrefix = '' } = address;
  const problem = keyPrefix && nameProblem(keyPrefix);
  if (problem) throw wrongUse(`--prefix is ${describe(keyPrefix)}: ${problem}`);
  if (address.kind === 'redis') return openRedis(address);
  if (address.kind === 'postgres' || address.kind === 'sqlite') return openSql(address);
  return address.kind === 'upstash' ? openUpstash(address, env) : openDynamoDB(address);
}

const URLS = {
  'redis-url': [/^rediss?:$/, 'a Redis', 'redis://127.0.0.1:6379 or rediss://user:password@host'],
  'postgres-url': [/^postgres(ql)?:$/, 'a Postgres', 'postgres://user:password@host/database'],
} as const;

/** Its errors never show the URL, which may contain a password. */
function urlOf(option: keyof typeof URLS, text: string): string {
  const [protocol, what, example] = URLS[option];
  if (URL.canParse(text) && protocol.test(new URL(text).protocol)) return text;
  throw wrongUse(`--${option} is no URL of ${what}: give one such as ${example}`);
}
