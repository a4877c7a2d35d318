import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { PGlite } from '@electric-sql/pglite';
import { createClient as createLibsql } from '@libsql/client';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Cluster, Redis } from 'ioredis';
import pg from 'pg';
import postgres from 'postgres';
import { createClient, createCluster } from 'redis';
import { lockAdmin } from 'single-execution/admin';
import {
  createLockTable,
  type DynamoDBStoreOptions,
  dynamoDBAdminStore,
  dynamoDBStore,
} from 'single-execution/dynamodb';
import { memoryStore } from 'single-execution/memory';
import { mysqlStore } from 'single-execution/mysql';
import { postgresStore } from 'single-execution/postgres';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { sqliteStore } from 'single-execution/sqlite';
import { compareAndSwapStore } from 'single-execution/store';
import { manualClock } from 'single-execution/testing';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { describe, expect, test } from 'vitest';
import { runOn } from '../support/one-run.js';

/* Options that are none: a client, or something else, in place of the options or of one of them. No client connects. */

const upstash = new UpstashRedis({ url: 'https://x.example', token: 'secret' });
const ioredis = new Redis({ lazyConnect: true });
const storage = { read: async () => ({ nowMs: 0 }), write: async () => true };
class Files {
  read() {}
  write() {}
}

/** How an object is described that is neither a promise nor options. */
const OTHER = 'an object that is not its options';

type Factory = (options: never) => unknown;
type Case = readonly [title: string, given: unknown, what: string];
const COMMON: readonly Case[] = [
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['an address', 'redis://user:secret@host', 'a string'],
  ['a list', ['secret'], 'an array'],
  ['a promise of a client', Promise.resolve(ioredis), 'a promise'],
  ['a class', class Client {}, 'a class'],
  [
    'a class in the old style',
    Object.assign(() => undefined, { prototype: { prepare() {}, constructor: 0 } }),
    'a class',
  ],
  ['an object of the client’s functions', { query() {}, end() {} }, OTHER],
];

/** The factories of a door, the shape of their options, and what may be passed instead. */
type Door = readonly [makes: readonly unknown[], shape: string, instead: Readonly<Record<string, unknown>>];

const DOORS: readonly Door[] = [
  [
    [dynamoDBStore, dynamoDBAdminStore],
    '{ tableName, client }',
    { 'a client': new DynamoDBClient({}), 'a document client': DynamoDBDocumentClient.from(new DynamoDBClient({})) },
  ],
  [
    [redisStore, redisAdminStore],
    '{ client }',
    {
      ioredis,
      'a cluster of ioredis': new Cluster([{ port: 1 }], { lazyConnect: true }),
      'node-redis': createClient(),
      'a cluster of node-redis': createCluster({ rootNodes: [] }),
      '@upstash/redis, which has a property client': upstash,
    },
  ],
  [[upstashStore, upstashAdminStore], '{ redis }', { '@upstash/redis': upstash }],
  [
    [postgresStore],
    '{ client }',
    {
      'a pool of pg': new pg.Pool(),
      'a client of pg': new pg.Client(),
      'postgres.js': postgres('postgres://127.0.0.1:1/x'),
      PGlite: Object.create(PGlite.prototype),
    },
  ],
  [[sqliteStore], '{ client }', { libSQL: createLibsql({ url: ':memory:' }) }],
  [[compareAndSwapStore], '{ storage }', { 'a storage': storage, 'a storage of a class': new Files() }],
];

const FACTORIES = DOORS.flatMap(([makes, shape, instead]) =>
  (makes as Factory[]).map((make) => {
    const cases = Object.entries(instead).map(
      ([title, given]): Case => [title, given, typeof given === 'function' ? 'a function' : OTHER],
    );
    return [make.name, make, shape, cases] as const;
  }),
);

describe.each(FACTORIES)('%s', (name, make, shape, cases) => {
  test.each([...COMMON, ...cases])('tells %s from options', (_, given, what) => {
    expect(() => make(given as never)).toThrow(TypeError);
    const [, told, pass] =
      /^\w+ was given (.*?)(?:: |, and )pass (.*)$/.exec(messageOf(() => make(given as never))) ?? [];

    expect([told, pass]).toEqual([what, shape]);
    expect(messageOf(() => make(given as never))).toMatch(new RegExp(`^${name} was given `));
  });

  test('still takes options of a class and a long prefix, and names what is no option and no prefix', () => {
    const given = { client: () => [], redis: upstash, tableName: 'locks', storage };
    const required = shape.slice(2, -2).split(',')[0] as keyof typeof given;
    const value = name.startsWith('redis') ? ioredis : given[required];
    class Options {}
    const keyPrefix = 'p'.repeat(100);
    expect(() => make(Object.assign(new Options(), { [required]: value, keyPrefix }) as never)).not.toThrow();
    expect(() => make({ [required]: value, prefix: 'x' } as never)).toThrow(`unknown option 'prefix' of ${name}: the`);
    expect(() => make({ [required]: value, keyPrefix: 7 } as never)).toThrow('keyPrefix is 7: pass a string');
  });
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}

const POSTGRES = 'pass a client of pg, postgres, Neon or PGlite, or a function';
const REDIS = 'pass a client of ioredis, node-redis, iovalkey or Valkey GLIDE';
const TABLE = "pass the name of a table, or of a schema and a table: 'jobs.locks'";
const client = () => [];

const REFUSED: readonly (readonly [make: unknown, options: object, message: string])[] = [
  [compareAndSwapStore, { storage: undefined }, 'storage is undefined: pass an object with the functions read and'],
  [compareAndSwapStore, { storage: { read() {} } }, "storage has no function 'write': pass an object with the"],
  [dynamoDBStore, {}, 'tableName is undefined: pass a non-empty'],
  [dynamoDBStore, { tableName: '' }, "tableName is '': pass a non-empty"],
  [dynamoDBStore, { tableName: 'locks', partitionKey: '' }, "partitionKey is '': pass a non-empty"],
  [dynamoDBStore, { tableName: 'locks', sortKey: 7 }, 'sortKey is 7: pass a non-empty'],
  [dynamoDBStore, { tableName: 'locks', client: {} }, 'client is an object: pass a DynamoDBClient'],
  [redisStore, { client: upstash }, 'pass it to upstashStore({ redis })'],
  [redisStore, { client: Promise.resolve() }, 'client is a promise: await it'],
  [redisStore, {}, `client is undefined: ${REDIS}`],
  [redisStore, { client: {} }, REDIS],
  ...[ioredis, createClient()].map((redis): [unknown, object, string] => [
    upstashStore,
    { redis },
    'redis is a client of ioredis or node-redis: pass it to redisStore({ client })',
  ]),
  [postgresStore, { client: undefined }, `client is undefined: ${POSTGRES}`],
  [postgresStore, { client: 'postgres://user:secret@host' }, `client is a string: ${POSTGRES}`],
  [postgresStore, { client: pg.Pool }, `client is a class: ${POSTGRES}`],
  [postgresStore, { client, table: 'a.b.c' }, `table is 'a.b.c': ${TABLE}`],
  [postgresStore, { client, table: '' }, `table is '': ${TABLE}`],
  [mysqlStore, { client: undefined }, 'client is undefined: pass a pool or a connection of mysql2 or mariadb'],
  [mysqlStore, { client: {} }, 'client is an object: pass a pool'],
  ...['🔒', 'x'.repeat(65), 'locks '].map((table): [unknown, object, string] => [
    mysqlStore,
    { client, table },
    `table has the name '${table.slice(0, 64)}`,
  ]),
  [sqliteStore, { client: undefined }, 'client is undefined: pass a client of D1, libSQL, node:sqlite or better-'],
  [sqliteStore, { client, table: 7 }, `table is 7: ${TABLE}`],
];

test.each(REFUSED.map(([make, ...rest]) => [(make as Factory).name, ...rest, make as Factory] as const))(
  '%s refuses %j with the remedy',
  (_, options, message, make) => {
    expect(() => make(options as never)).toThrow(TypeError);
    expect(messageOf(() => make(options as never))).toContain(message);
  },
);

test.each<[Partial<DynamoDBStoreOptions>, string]>([
  [{ partitionKey: 'state' }, "partitionKey is 'state', which is an attribute of the lock record"],
  [{ sortKey: 'r7' }, "sortKey is 'r7', which is an attribute of the lock record"],
  [{ partitionKey: 'pk', sortKey: 'pk' }, "sortKey is 'pk', as partitionKey is"],
])('dynamoDBStore: %j, which no table can have, is refused', (options, message) => {
  expect(() => dynamoDBStore({ tableName: 'locks', ...options })).toThrow(RangeError);
  expect(messageOf(() => dynamoDBStore({ tableName: 'locks', ...options }))).toContain(message);
});

test.each<[string, unknown, string]>([
  ['a factory that was not called', memoryStore, 'is a function: KIND, or call it first'],
  ['a class', class Store {}, 'is a class: KIND'],
  ['a promise', Promise.resolve(memoryStore()), 'is a promise: KIND, or await it first'],
  ['a client', ioredis, "has no function 'VERB': pass a"],
])('the option store, and that of lockAdmin: %s is refused with its remedy', async (_, store, message) => {
  const said = (verb: string, kind: string) => `store ${message.replace('KIND', kind).replace('VERB', verb)}`;

  await expect(runOn(store as never, () => 1)).rejects.toThrow(
    said('acquire', 'pass a store, such as dynamoDBStore({ tableName })'),
  );
  expect(() => lockAdmin(store as never)).toThrow(
    said('list', 'pass an admin store, such as dynamoDBAdminStore({ tableName })'),
  );
});

test('lockAdmin that was given options, and a clock that was not made, are refused with their remedy', async () => {
  const options = { store: memoryStore() };

  expect(() => lockAdmin(options as never)).toThrow("store has no function 'list': pass the store itself");
  await expect(runOn(memoryStore(), () => 1, { clock: manualClock as never })).rejects.toThrow(
    'clock is a function: pass { now, monotonic, setTimer }, or call it first',
  );
});

const own = new DynamoDBClient({});
test.each<[string, readonly unknown[], string]>([
  ['one object', [{ client: own, tableName: 'locks' }], 'client is an object: call createLockTable(client,'],
  ['no options', [own], 'createLockTable was given undefined: pass { tableName }'],
  ['a name', [own, 'locks'], 'createLockTable was given a string: pass { tableName }'],
  ['a store’s option', [own, { tableName: 'x', keyPrefix: 'y' }], "unknown option 'keyPrefix' of createLockTable"],
  ['an empty name', [own, { tableName: '' }], "tableName is '': pass"],
])('createLockTable: %s is refused with its remedy', async (_, given, message) => {
  await expect((createLockTable as (...given: readonly unknown[]) => unknown)(...given)).rejects.toThrow(message);
});
