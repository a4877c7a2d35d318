import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import { defined } from '../../core/values/defined.js';
import { describe } from '../../core/values/describe.js';
import { nameProblem } from '../../core/values/lock-name.js';
import type { CommandLine, Environment } from '../command.js';
import { wrongUse } from '../exit-code.js';
import { openDynamoDB, type TableAddress } from './dynamodb-store.js';
import { openRedis, type RedisAddress } from './redis-store.js';
import { openUpstash } from './upstash-store.js';

/** A store that a command has opened. */
export interface OpenStore {
  readonly kind: 'dynamodb' | 'redis' | 'upstash';
  readonly store: LockStore;
  readonly admin: LockAdminStore;
  /** Ends its connections. */
  close(): void;
}

/** Where the locks are, as a command line and the environment say it. */
export type StoreAddress =
  | ({ readonly kind: 'dynamodb' } & TableAddress)
  | ({ readonly kind: 'redis' } & RedisAddress)
  | { readonly kind: 'upstash'; readonly keyPrefix?: string };

/** The options of a table, as the fields of its address. */
const OF_DYNAMODB = {
  'partition-key': 'partitionKey',
  'sort-key': 'sortKey',
  endpoint: 'endpoint',
  region: 'region',
  profile: 'profile',
} as const;

/** @throws CliError where no store is named, or more than one */
export function storeAddress(line: Pick<CommandLine, 'text' | 'has'>, env: Environment): StoreAddress {
  const named = ['table', 'redis-url', 'upstash'].filter((option) => line.has(option));
  if (named.length > 1) throw wrongUse(`--${named[0]} and --${named[1]} name two stores: give one of them`);
  const prefix = line.text('prefix');
  const given = prefix === undefined ? {} : { keyPrefix: prefix };
  const redisUrl = line.text('redis-url') ?? (line.has('table') || env['LOCK_TABLE'] ? undefined : env['REDIS_URL']);
  const stray = Object.keys(OF_DYNAMODB).find((option) => line.has(option));
  if (stray && (line.has('upstash') || redisUrl)) throw wrongUse(`--${stray} is for DynamoDB: give --table too`);
  if (line.has('upstash')) return { kind: 'upstash', ...given };
  if (redisUrl) return { kind: 'redis', url: redisUrlOf(redisUrl), ...given };
  return { kind: 'dynamodb', ...tableAddress(line, env) };
}

/** @throws CliError without a table */
export function tableAddress(line: Pick<CommandLine, 'text'>, env: Environment): TableAddress {
  const tableName = line.text('table') ?? env['LOCK_TABLE'];
  if (!tableName) {
    throw wrongUse('no store is named: give --table NAME, --redis-url URL or --upstash, or set LOCK_TABLE');
  }
  const keyPrefix = line.text('prefix') ?? env['LOCK_KEY_PREFIX'];
  const endpoint = line.text('endpoint');
  if (endpoint !== undefined && !/^https?:\/\/./.test(URL.canParse(endpoint) ? endpoint : '')) {
    throw wrongUse(`--endpoint is ${describe(endpoint)}: give a URL such as http://127.0.0.1:8000`);
  }
  const fields = Object.entries(OF_DYNAMODB).map(([option, field]) => [field, line.text(option)] as const);
  return { tableName, ...(keyPrefix ? { keyPrefix } : {}), ...defined(Object.fromEntries(fields)) };
}

/** @throws CliError where the package that the store needs is missing */
export async function openStore(address: StoreAddress, env: Environment): Promise<OpenStore> {
  const { keyPrefix = '' } = address;
  const problem = keyPrefix && nameProblem(keyPrefix);
  if (problem) throw wrongUse(`--prefix is ${describe(keyPrefix)}: ${problem}`);
  if (address.kind === 'redis') return openRedis(address);
  return address.kind === 'upstash' ? openUpstash(address, env) : openDynamoDB(address);
}

/** Never shows what it refuses, which may hold a password. */
function redisUrlOf(text: string): string {
  const isUrl = URL.canParse(text) && /^rediss?:$/.test(new URL(text).protocol);
  if (isUrl) return text;
  throw wrongUse(
    '--redis-url is no URL of a Redis: give one such as redis://127.0.0.1:6379 or rediss://user:password@host',
  );
}
