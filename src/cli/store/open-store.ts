import type { LockAdminStore, LockStore } from '../../index.js';
import { nameProblem } from '../../operate/lock-summary.js';
import type { CommandLine, Environment, Session } from '../command.js';
import { given } from '../command-line.js';
import { quoted, wrongUse } from '../exit-code.js';
import { type OpenTable, openDynamoDB, type TableAddress } from './dynamodb-store.js';
import { type OpenRedis, openRedis, type RedisAddress } from './redis-store.js';
import { type OpenSql, openSql, type SqlAddress } from './sql-store.js';
import { type OpenUpstash, openUpstash, type UpstashAddress } from './upstash-store.js';

/** A store that a command has opened. */
export interface OpenedStore {
  readonly store: LockStore;
  readonly admin: LockAdminStore;
  /** Ends its connections. */
  close(): void;
}

/** A store that a command has opened, with what only its kind has. */
export type OpenStore = OpenTable | OpenRedis | OpenUpstash | OpenSql;

/** The address of a store, from the command line and the environment. */
export type StoreAddress = TableAddress | RedisAddress | UpstashAddress | SqlAddress;

const OF_AWS = { endpoint: 'endpoint', region: 'region', profile: 'profile' } as const;
const OF_TABLE = { 'partition-key': 'partitionKey', 'sort-key': 'sortKey' } as const;
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
  const stray = Object.keys({ ...OF_TABLE, ...OF_AWS }).find((option) => line.has(option));
  if (stray && address) throw wrongUse(`--${stray} is for DynamoDB: give --table too`);
  return withPrefix(address ?? tableAddress(line, env));
}

/** @throws CliError for a prefix that no lock can have */
function withPrefix(address: StoreAddress): StoreAddress {
  const { keyPrefix } = address.kind === 'dynamodb' ? address.table : address;
  const problem = keyPrefix && nameProblem(keyPrefix);
  if (problem) throw wrongUse(`--prefix is ${quoted(keyPrefix)}: ${problem}`);
  return address;
}

/** A store that is not DynamoDB, if one is named. */
function otherAddress(line: Pick<CommandLine, 'text' | 'has'>, env: Environment): StoreAddress | undefined {
  const prefix = given(line, { prefix: 'keyPrefix' });
  const inTable = given(line, { prefix: 'keyPrefix', table: 'table' });
  const redisUrl = line.text('redis-url') ?? env['REDIS_URL'];
  const file = line.text('sqlite');
  const databaseUrl = env['DATABASE_URL'];
  const postgresUrl = line.text('postgres-url') ?? (databaseUrl?.startsWith('postgres') ? databaseUrl : undefined);
  if (line.has('upstash')) return { kind: 'upstash', ...prefix };
  if (redisUrl) return { kind: 'redis', url: urlOf('redis-url', redisUrl), ...prefix };
  if (file !== undefined) return { kind: 'sqlite', at: file, ...inTable };
  return postgresUrl ? { kind: 'postgres', at: urlOf('postgres-url', postgresUrl), ...inTable } : undefined;
}

/** @throws CliError if neither the command line nor the environment names a table */
function tableAddress(line: Pick<CommandLine, 'text'>, env: Environment): TableAddress {
  const tableName = line.text('table') ?? env['LOCK_TABLE'];
  if (!tableName) {
    throw wrongUse(
      'no store is named: give --table NAME, --redis-url URL, --upstash, --postgres-url URL or --sqlite FILE, or set LOCK_TABLE',
    );
  }
  const at = given(line, OF_AWS);
  const { endpoint } = at;
  if (endpoint !== undefined && !/^https?:\/\/./.test(URL.canParse(endpoint) ? endpoint : '')) {
    throw wrongUse(`--endpoint is ${quoted(endpoint)}: give a URL such as http://127.0.0.1:8000`);
  }
  const keyPrefix = line.text('prefix') ?? env['LOCK_KEY_PREFIX'];
  return { kind: 'dynamodb', table: { tableName, ...given(line, OF_TABLE), ...(keyPrefix && { keyPrefix }) }, at };
}

/** @throws CliError if the package that the store needs is missing */
export async function openStore(
  address: StoreAddress,
  { env, clock }: Pick<Session, 'env' | 'clock'>,
): Promise<OpenStore> {
  switch (address.kind) {
    case 'dynamodb':
      return openDynamoDB(address, clock);
    case 'redis':
      return openRedis(address, clock);
    case 'upstash':
      return openUpstash(address, env);
    default:
      return openSql(address);
  }
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
