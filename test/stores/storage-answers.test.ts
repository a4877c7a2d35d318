import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LockStore } from 'single-execution';
import { compareAndSwapStore, type Storage, type StoredRecord } from 'single-execution/store';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { clockOfPauses } from '../support/clocks.js';
import { call, claim, done, grant } from '../support/one-run.js';
import { failureOf, says } from '../support/settled.js';

/*
 * Storages of others that answer with what is no answer, and storages that refuse every write.
 */

interface Row {
  readonly record: StoredRecord;
  readonly version: number;
}

function tableStorage(): Storage<number> & { readonly rows: Map<string, Row> } {
  const rows = new Map<string, Row>();
  return {
    rows,
    read: async (key) => ({ ...rows.get(key), nowMs: Date.now() }),
    async write(key, record, version) {
      if (rows.get(key)?.version !== version) return false;
      rows.set(key, { record, version: (version ?? 0) + 1 });
      return true;
    },
    list: async () => [...rows].map(([key, { record }]) => ({ key, record })),
  };
}

class Row2 {
  state = 'released';
}

const nowMs = Date.now();

test.each<[string, unknown, string]>([
  ['undefined', undefined, "the storage's read resolved to undefined; let it resolve to { record, version, nowMs }"],
  ['a text', '{}', "the storage's read resolved to a text; let it resolve to { record, version, nowMs }"],
  ['rows', [{ nowMs }], "the storage's nowMs is undefined; pass whole epoch milliseconds"],
  [
    'a text as record',
    { record: '{}', version: 1, nowMs },
    'resolved to a text; let it resolve to a JSON object as its record',
  ],
  [
    'an array as record',
    { record: [], version: 1, nowMs },
    'resolved to an empty array; let it resolve to a JSON object as its record',
  ],
  [
    'a Map as record',
    { record: new Map(), version: 1, nowMs },
    'resolved to an object without fields; let it resolve to a JSON object',
  ],
  [
    'an instance as record',
    { record: new Row2(), version: 1, nowMs },
    'resolved to an object with state; let it resolve to a JSON object',
  ],
  [
    'a promise as record',
    { record: Promise.resolve({}), version: 1, nowMs },
    'let it resolve to a JSON object as its record',
  ],
  ['true as record', { record: true, version: 1, nowMs }, 'resolved to a boolean; let it resolve to a JSON object'],
])('F151 a storage that reads %s is refused at once', async (_, answer, message) => {
  const store = compareAndSwapStore({ storage: { ...tableStorage(), read: async () => answer as never } });

  expect(await failureOf(store.acquire(claim(), call()))).toMatchObject(
    says('INVALID_REQUEST', message, { retryable: false }),
  );
});

test('F151 a storage that reads null for a key that was never written works', async () => {
  const storage = tableStorage();
  const read: typeof storage.read = async (key, signal) => ({ record: null, ...(await storage.read(key, signal)) });

  expect(await compareAndSwapStore({ storage: { ...storage, read } }).acquire(claim(), call())).toMatchObject({
    status: 'acquired',
  });
});

const NO_ANSWERS: readonly unknown[] = [
  undefined,
  null,
  0,
  1,
  'OK',
  '',
  [],
  [1],
  {},
  { affectedRows: 1 },
  { rowCount: 0 },
];

describe('F151 a storage whose write resolves to what is neither true nor false', () => {
  test.each(NO_ANSWERS)('%j: an acquire that wrote is refused and given back', async (answer) => {
    const storage = tableStorage();
    const write: typeof storage.write = async (...asked) => {
      await storage.write(...asked);
      return answer as boolean;
    };
    const store = compareAndSwapStore({ storage: { ...storage, write } });

    expect(await failureOf(store.acquire(claim(), call()))).toMatchObject(
      says('INVALID_REQUEST', 'let it resolve to true if it wrote, and to false if it did not', { retryable: false }),
    );
    expect(storage.rows.get('digest')?.record['state']).toBe('released');
  });

  test.each(NO_ANSWERS)('%j: an acquire that did not write is refused', async (answer) => {
    const store = compareAndSwapStore({ storage: { ...tableStorage(), write: async () => answer as boolean } });

    expect(await failureOf(store.acquire(claim(), call()))).toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

test.each<[string, unknown]>([
  ['an object', { digest: {} }],
  ['names', ['digest']],
  ['records', [{ state: 'released' }]],
  ['a record as text', [{ key: 'digest', record: '{}' }]],
])('F151 a storage that lists %s is refused', async (_, answer) => {
  const store = compareAndSwapStore({ storage: { ...tableStorage(), list: async () => answer as never } });

  expect(await failureOf(store.list(call()))).toMatchObject({ code: 'INVALID_REQUEST', retryable: false });
});

describe('F155 a storage that refuses every write', () => {
  test('although nobody has written lets the process go on, is asked at a slower pace, and is an error', async () => {
    const storage = tableStorage();
    let writes = 0;
    const refusing = { ...storage, write: async () => !++writes };
    await grant(compareAndSwapStore({ storage }), claim());
    storage.rows.set('digest', { record: { state: 'released', lockUntil: nowMs, releasedAt: nowMs }, version: 1 });
    let turns = 0;
    let isOver = false;
    const limits = { ...call(500), clock: clockOfPauses(500) };
    const asked = failureOf(compareAndSwapStore({ storage: refusing }).acquire(claim(), limits)).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await nextTurn();
      turns++;
    }

    expect(await asked).toMatchObject(says('INVALID_REQUEST', 'the storage refuses the write again and again'));
    expect(turns).toBeGreaterThan(10);
    expect(writes).toBeLessThan(50);
  });

  test('because the call is nearly over is no such error: the call ends with the outage before it', async () => {
    // Each pause takes as long as it may.
    vi.spyOn(Math, 'random').mockReturnValue(0.99);
    onTestFinished(() => void vi.restoreAllMocks());
    let writes = 0;
    const write = async () => {
      if (writes++ === 0) throw Object.assign(new Error(), { name: 'DiskFull' });
      return false;
    };
    const store = compareAndSwapStore({ storage: { ...tableStorage(), write } });

    expect(await failureOf(store.acquire(claim(), call(60)))).toMatchObject(says('UNAVAILABLE', 'DiskFull'));
  });

  test('because others were faster is asked again without a pause', async () => {
    const storage = tableStorage();
    let left = 20;
    const contended: typeof storage.write = async (key, record, version, signal) => {
      if (left-- > 0)
        await storage.write(
          key,
          { state: 'released', lockUntil: nowMs - left, releasedAt: nowMs - left },
          version,
          signal,
        );
      return storage.write(key, record, version, signal);
    };
    const store = compareAndSwapStore({ storage: { ...storage, write: contended } });

    expect((await grant(store, claim())).name).toBe('digest');
  });
});

// docs/adr/0012-a-release-reads.md: the version alone does not say whose lock it is.
test.each([0, 1, 5])(
  'row 167: a run whose row was deleted by hand frees no lock that was granted since, after %i earlier runs',
  async (earlier) => {
    const bare = tableStorage();
    let reads = 0;
    // Each run has a time of its own, and so a token.
    const read: typeof bare.read = async (...asked) => ({
      ...(await bare.read(...asked)),
      nowMs: nowMs + 10 * ++reads,
    });
    const inProcess = () => compareAndSwapStore({ storage: { ...bare, read } });
    const [store, elsewhere] = [inProcess(), inProcess()];
    const runsOf = async (one: LockStore) => {
      for (let n = 0; n < earlier; n++) await one.release(await grant(one), done, call());
      return grant(one);
    };
    const old = await runsOf(store);
    bare.rows.clear();
    // The new row has the same version, because as many writes made it.
    await runsOf(elsewhere);

    expect(await store.release(old, done, call())).toBe('lost');
    expect(await elsewhere.acquire(claim(), call())).toMatchObject({ status: 'refused', reason: 'locked' });
  },
);

test('F152 a grant and an extension carry the instant at which their call ends; nothing else does', async () => {
  const storage = tableStorage();
  const told: [unknown, boolean | undefined][] = [];
  const store = compareAndSwapStore({
    storage: {
      ...storage,
      async write(key, record, version, signal, notAfterMs) {
        const leftMs = notAfterMs === undefined ? undefined : notAfterMs - Date.now();
        told.push([
          record['barredAttempt'] ?? record['state'],
          leftMs === undefined ? undefined : leftMs > 0 && leftMs <= 60_000,
        ]);
        return storage.write(key, record, version, signal);
      },
    },
  });
  const asked = claim({ tickMs: 1_800_000_060_000 });
  const lease = await grant(store, asked);
  await store.extend(lease, { leaseMs: 60_000 }, call());
  await store.mark(lease, { tickMs: 1_800_000_000_000, leaseMs: 60_000 }, call());
  await store.release(lease, done, call());

  expect(told).toEqual([
    ['held', true],
    ['held', true],
    ['held', undefined],
    ['released', undefined],
  ]);
});
