import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { PGlite } from '@electric-sql/pglite';
import { createClient as createLibsql } from '@libsql/client';
import { Redis as UpstashRedis } from '@upstash/redis';
import { Cluster, Redis } from 'ioredis';
import pg from 'pg';
import postgres from 'postgres';
import { createClient, createCluster } from 'redis';
import { executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { createLockTable, dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { memoryStore } from 'single-execution/memory';
import { postgresStore } from 'single-execution/postgres';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { sqliteStore } from 'single-execution/sqlite';
import { compareAndSwapStore } from 'single-execution/store';
import { manualClock } from 'single-execution/testing';
import { upstashAdminStore, upstashStore } from 'single-execution/upstash';
import { describe, expect, test } from 'vitest';

/* A client, or something else, in place of the options that hold it. None of these clients connects. */

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
type Door = readonly [makes: readonly Factory[], shape: string, instead: Readonly<Record<string, unknown>>];

const DOORS: readonly Door[] = [
  [
    [dynamoDBStore, dynamoDBAdminStore] as Factory[],
    '{ tableName, client }',
    { 'a client': new DynamoDBClient({}), 'a document client': DynamoDBDocumentClient.from(new DynamoDBClient({})) },
  ],
  [
    [redisStore, redisAdminStore] as Factory[],
    '{ client }',
    {
      ioredis,
      'a cluster of ioredis': new Cluster([{ port: 1 }], { lazyConnect: true }),
      'node-redis': createClient(),
      'a cluster of node-redis': createCluster({ rootNodes: [] }),
      '@upstash/redis, which has a property client': upstash,
    },
  ],
  [[upstashStore, upstashAdminStore] as Factory[], '{ redis }', { '@upstash/redis': upstash }],
  [
    [postgresStore] as Factory[],
    '{ client }',
    {
      'a pool of pg': new pg.Pool(),
      'a client of pg': new pg.Client(),
      'postgres.js': postgres('postgres://127.0.0.1:1/x'),
      PGlite: Object.create(PGlite.prototype),
    },
  ],
  [[sqliteStore] as Factory[], '{ client }', { libSQL: createLibsql({ url: ':memory:' }) }],
  [[compareAndSwapStore] as Factory[], '{ storage }', { 'a storage': storage, 'a storage of a class': new Files() }],
];

const FACTORIES = DOORS.flatMap(([makes, shape, instead]) =>
  makes.map((make) => {
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

  test('still takes options of a class, and names an unknown option', () => {
    const given = { client: () => [], redis: upstash, tableName: 'locks', storage };
    const required = shape.slice(2, -2).split(',')[0] as keyof typeof given;
    const value = name.startsWith('redis') ? ioredis : given[required];
    class Options {}
    expect(() => make(Object.assign(new Options(), { [required]: value }) as never)).not.toThrow();
    expect(() => make({ [required]: value, prefix: 'x' } as never)).toThrow(`unknown option 'prefix' of ${name}: the`);
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

test.each<[string, unknown, string]>([
  [
    'a factory that was not called',
    memoryStore,
    'store is a function: pass a store, such as dynamoDBStore({ tableName }), or call it first',
  ],
  ['a class', class Store {}, 'store is a class: pass a store, such as dynamoDBStore({ tableName })'],
  [
    'a promise',
    Promise.resolve(memoryStore()),
    'store is a promise: pass a store, such as dynamoDBStore({ tableName }), or await it first',
  ],
  ['a client', ioredis, "store has no function 'acquire': pass a store"],
])('the option store: %s is refused with its remedy', async (_, store, message) => {
  const options = { name: 'x', store: store as never, lockAtMostFor: '1m', observers: [] };

  await expect(executeWithLock(() => 1, options)).rejects.toThrow(message);
});

test.each<[string, unknown, string]>([
  ['options', { store: memoryStore() }, "store has no function 'list': pass the store itself"],
  [
    'a factory that was not called',
    memoryStore,
    'store is a function: pass an admin store, such as dynamoDBAdminStore({ tableName }), or call it first',
  ],
  [
    'a promise',
    Promise.resolve(memoryStore()),
    'store is a promise: pass an admin store, such as dynamoDBAdminStore({ tableName }), or await it first',
  ],
  ['a client', new DynamoDBClient({}), "store has no function 'list': pass an admin store"],
])('lockAdmin: %s is refused with its remedy', (_, store, message) => {
  expect(() => lockAdmin(store as never)).toThrow(message);
});

test('a clock that was not made is refused with its remedy', async () => {
  const options = { name: 'x', store: memoryStore(), lockAtMostFor: '1m', clock: manualClock as never };

  await expect(executeWithLock(() => 1, options)).rejects.toThrow(
    'clock is a function: pass { now, monotonic, setTimer }, or call it first',
  );
});

test.each<[string, readonly unknown[], string]>([
  [
    'one object',
    [{ client: new DynamoDBClient({}), tableName: 'locks' }],
    'client is an object: call createLockTable(client,',
  ],
  ['no options', [new DynamoDBClient({})], 'createLockTable was given undefined: pass { tableName }'],
  ['a name', [new DynamoDBClient({}), 'locks'], 'createLockTable was given a string: pass { tableName }'],
  [
    'a store’s option',
    [new DynamoDBClient({}), { tableName: 'x', keyPrefix: 'y' }],
    "unknown option 'keyPrefix' of createLockTable",
  ],
])('createLockTable: %s is refused with its remedy', async (_, given, message) => {
  await expect((createLockTable as (...given: readonly unknown[]) => unknown)(...given)).rejects.toThrow(message);
});
