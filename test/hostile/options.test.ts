import fc from 'fast-check';
import { type LockAdmin, lockAdmin } from 'single-execution/admin';
import { azureTableStore } from 'single-execution/azure';
import { durableObjectStore } from 'single-execution/durable-objects';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { type MemoryStore, memoryStore } from 'single-execution/memory';
import { mysqlStore } from 'single-execution/mysql';
import { postgresStore } from 'single-execution/postgres';
import { redisAdminStore, redisStore } from 'single-execution/redis';
import { sqliteStore } from 'single-execution/sqlite';
import { compareAndSwapStore } from 'single-execution/store';
import { upstashStore } from 'single-execution/upstash';
import { describe, expect, test } from 'vitest';
import { readRecord } from '../../src/core/record/lock-record.js';
import { anyValue, Untouchable } from '../support/hostile-values.js';
import { call } from '../support/one-run.js';
import { DOORS } from './doors.js';

const client = { evalsha: async () => null, eval: async () => null };
const NOTHING = async () => null;
const azureClient = {
  ...{ url: 'https://x.example', tableName: 'locks' },
  ...{ getEntity: NOTHING, createEntity: NOTHING, updateEntity: NOTHING, listEntities: NOTHING, createTable: NOTHING },
};
const SOUND_STORAGE = { read: NOTHING, write: NOTHING };
const namespace = { idFromName: NOTHING, get: NOTHING };
const STORES: readonly (readonly [string, readonly string[], object, (options: never) => unknown])[] = [
  ...[dynamoDBStore, dynamoDBAdminStore].map((make) => {
    const options = ['tableName', 'client', 'partitionKey', 'sortKey', 'keyPrefix'];
    return [make.name, options, { tableName: 'locks' }, make] as const;
  }),
  ...[redisStore, redisAdminStore].map((make) => [make.name, ['client', 'keyPrefix'], { client }, make] as const),
  ['upstashStore', ['redis', 'keyPrefix'], { redis: client }, upstashStore],
  ...[postgresStore, mysqlStore, sqliteStore].map((make) => {
    const sound = { client: make === sqliteStore ? { execute: NOTHING } : NOTHING };
    return [make.name, ['client', 'table', 'keyPrefix'], sound, make] as const;
  }),
  ['azureTableStore', ['client', 'keyPrefix'], { client: azureClient }, azureTableStore],
  ['compareAndSwapStore', ['storage', 'keyPrefix'], { storage: SOUND_STORAGE }, compareAndSwapStore],
  ['durableObjectStore', ['keyPrefix'], {}, (options) => durableObjectStore(namespace as never, options)],
];

/** Texts that a store would send as another text, cut off, or could not send. */
const NEVER_SENT = ['\ud800', 'a\udc00', '\0', 'a\0b', 'x'.repeat(10_000)];
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  keyPrefix: [...NEVER_SENT, 'e\u0301', 'a\nb', 'x'.repeat(101)],
  // SQLite takes a name of any length.
  table: ['', '.', 'a.', ...NEVER_SENT.slice(0, -1)],
  tableName: ['', 'é', 'a b', '   ', '%20', '🔒', ...NEVER_SENT.slice(0, -1)],
  partitionKey: ['', '__proto__', 'state'],
  sortKey: ['', '__proto__', 'state'],
};

/** Options of which one has any value, or a wrong name such as `__proto__`. Sometimes any value instead of options. */
const anyOptions = (known: readonly string[], sound: object) =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .tuple(fc.constantFrom(...known), anyValue)
        .map(([key, value]) => ({ options: { ...sound, [key]: value }, key })),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('nam', 'lockatmostfor', 'ttl', '__proto__', 'toString'), anyValue)
        .map(([key, value]) => ({ options: { ...sound, [key]: value }, key })),
    },
    { weight: 1, arbitrary: anyValue.map((options) => ({ options, key: 'options' })) },
  );

/** Expects an error that names what is wrong, or the error that an untouchable value has thrown. */
function expectRefusal(error: unknown, keys: readonly string[]): void {
  if (error instanceof Untouchable) return;
  expect(error).toBeInstanceOf(Error);
  const { name, message } = error as Error;
  expect(['TypeError', 'RangeError', 'LockStoreError', 'LockHeldError']).toContain(name);
  expect(message).not.toMatch(/undefined \(|null \(|of undefined|of null|is not a function|is not iterable|Cannot/);
  expect(message).toMatch(new RegExp(`\\b(${keys.join('|')}|options|was given)\\b`));
}

describe.each(DOORS)('any options of %s', (door, known, open) => {
  test('are refused in words or work, and what is stored is sound', async () => {
    const work = fc.asyncProperty(
      fc.constant(undefined).chain(() => anyOptions(known, soundOptions(known))),
      async ({ options, key }) => {
        let runs = 0;
        const task = () => {
          runs++;
          return new Response('done');
        };
        const [result] = await Promise.allSettled([(async () => open(options as never, task))()]);
        const store = storeOf(options);
        const locks = (await store?.list(call())) ?? [];
        if (result.status === 'rejected')
          expectRefusal(result.reason, key === 'options' ? known : [key, 'lockAtMostFor']);
        // Two valid calls need not run: a candidate only joins the election, and a route may refuse the secret.
        const runsOnce = door !== 'createLeaderElection' && key !== 'secret';
        if (result.status === 'fulfilled' && runsOnce) expect(runs).toBe(1);
        expect(runs).toBeLessThanOrEqual(1);
        for (const { name, item } of locks) {
          const record = readRecord(name, item);
          expect(record.leaseMs).toSatisfy((ms: number) => ms >= 1_000 && ms <= 86_400_000);
          expect(record.lockUntil).toBeGreaterThanOrEqual(record.lockedAt ?? Number.POSITIVE_INFINITY);
        }
      },
    );
    await fc.assert(work, { numRuns: 400 });
  });
});

describe.each(STORES)('any options of %s', (_make, known, sound, make) => {
  test('are refused in words, or make a store', () => {
    fc.assert(
      fc.property(anyOptions(known, sound), ({ options, key }) => {
        try {
          expect(make(options as never)).toBeTypeOf('object');
        } catch (error) {
          expectRefusal(error, key === 'options' ? known : [key]);
        }
      }),
      { numRuns: 400 },
    );
  });

  const texts = Object.entries(REFUSED)
    .filter(([option]) => known.includes(option))
    .flatMap(([option, all]) => all.map((text) => [option, text] as const));
  test.each(texts)(
    'F210 refuse as %s the text %j, which would not be sent as it is, with the remedy',
    (option, text) => {
      const words = new RegExp(`^${option} (is|has the name) '.*: .*(pass|remove|shorten|leave room|use a)`, 's');

      expect(() => make({ ...sound, [option]: text } as never)).toThrow(words);
    },
  );
});

describe('any argument of an operator', () => {
  const verbs: readonly (readonly [string, (admin: LockAdmin, value: never) => unknown])[] = [
    ['name', (admin, value) => admin.get(value)],
    ['name', (admin, value) => admin.resume(value)],
    ['fencingToken', (admin, value) => admin.forceRelease('digest', value)],
    ['fencingToken', (admin, value) => admin.forceRelease('digest', { fencingToken: value })],
    ['options', (admin, value) => admin.pause('digest', value)],
    ['until', (admin, value) => admin.pause('digest', { until: value })],
    ['by', (admin, value) => admin.pause('digest', { by: value })],
    ['ticks', (admin, value) => admin.forget('digest', value)],
    ['ticks', (admin, value) => admin.forget('digest', [value])],
    ['from', (admin, value) => admin.backfill('digest', { from: value, to: 2e12, schedule: '1h' })],
    ['to', (admin, value) => admin.backfill('digest', { from: 1.7e12, to: value, schedule: '1h' })],
    ['schedule', (admin, value) => admin.backfill('digest', { from: 1.7e12, to: 1.8e12, schedule: value })],
  ];

  test('is refused in words, or leaves a record that can be read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...verbs), anyValue, async ([key, ask], value) => {
        const store = memoryStore();
        const admin = lockAdmin(store);
        const [result] = await Promise.allSettled([(async () => ask(admin, value as never))()]);
        // `backfill` refuses a lock that has not run, so its name may be refused even if all options are valid.
        if (result.status === 'rejected')
          expectRefusal(result.reason, key === 'options' ? ['until', 'by'] : [key, 'name']);
        for (const { name, item } of await store.list(call())) expect(readRecord(name, item)).toBe(item);
      }),
      { numRuns: 600 },
    );
  });

  test('a store or clock that is none is refused at once', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        for (const [key, make] of [
          ['store', () => lockAdmin(value as never)],
          ['clock', () => lockAdmin(memoryStore(), { clock: value as never })],
        ] as const) {
          try {
            make();
            expect(value === undefined && key).not.toBe('store');
          } catch (error) {
            expectRefusal(error, [key]);
          }
        }
      }),
    );
  });
});

function soundOptions(known: readonly string[]): object {
  const store = memoryStore();
  return known.includes('lease')
    ? { name: 'digest', store, candidate: 'me', lease: '1m', observers: [] }
    : {
        ...{ name: 'digest', store, lockAtMostFor: '1m', observers: [] },
        ...(known.includes('onSkipped') && { tick: 'none' }),
        ...(known.includes('secret') && { secret: false }),
      };
}

function storeOf(options: unknown): MemoryStore | undefined {
  try {
    const { store } = options as { store?: MemoryStore };
    return typeof store?.list === 'function' ? store : undefined;
  } catch {
    return undefined;
  }
}
