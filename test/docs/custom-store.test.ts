import { compileFunction } from 'node:vm';
import * as root from 'single-execution';
import { type Claim, type LockStore, LockStoreError } from 'single-execution';
import * as testing from 'single-execution/testing';
import { type ManualClock, manualClock } from 'single-execution/testing';
import ts from 'typescript';
import * as vitest from 'vitest';
import { describe, expect, test } from 'vitest';
import { storeCall } from '../support/contract-harness.js';
import { examplesOf } from './examples.js';

/** The interface that the page builds its store over. */
interface Documents {
  get(key: string, signal: AbortSignal): Promise<{ readonly value: unknown; readonly version: string } | undefined>;
  put(key: string, value: unknown, version: string | undefined, signal: AbortSignal): Promise<boolean>;
}

interface Page {
  documentStore(documents: Documents): LockStore;
  keepsTheContract(makeStore: () => LockStore): void;
}

const modules: Readonly<Record<string, unknown>> = {
  'single-execution': root,
  'single-execution/testing': testing,
  vitest,
};

/** What the code of the page exports, run as it stands there. */
function pageExports(): Page {
  const exports: Partial<Page> = {};
  for (const { code } of examplesOf('docs/custom-store.md', 'ts')) {
    const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 };
    const { outputText } = ts.transpileModule(code, { compilerOptions });
    compileFunction(outputText, ['require', 'exports'])((name: string) => modules[name], exports);
  }
  return exports as Page;
}

const { documentStore, keepsTheContract } = pageExports();

type Documented = Documents & { readonly texts: Map<string, string> };

/** Documents in memory, whose versions are as weak as the page allows: the value itself, as a hash of it would be. */
function memoryDocuments(): Documented {
  const texts = new Map<string, string>();
  return {
    texts,
    async get(key) {
      const text = texts.get(key);
      return text === undefined ? undefined : { value: JSON.parse(text), version: text };
    },
    async put(key, value, version) {
      if (texts.get(key) !== version) return false;
      texts.set(key, JSON.stringify(value));
      return true;
    },
  };
}

const COMPLETION = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 1 } as const;

const claim = (attemptId: string, more: Partial<Claim> = {}): Claim => ({
  name: 'digest',
  attemptId,
  leaseMs: 60_000,
  lockedBy: `host of ${attemptId}`,
  markTickAtStart: false,
  ...more,
});

/** Turns the clock until the promise has settled. */
async function settled<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let turns = 0; !isSettled && turns < 10_000; turns++) await clock.advance(10);
  return promise;
}

describe('row 68: the store of docs/custom-store.md keeps the contract', () => {
  keepsTheContract(() => documentStore(memoryDocuments()));
});

describe('row 68: the store of docs/custom-store.md, beyond the contract', () => {
  test('F1 knows its own attempt when the answer to its write was lost', async () => {
    const documents = memoryDocuments();
    const clock = manualClock();
    let lost = 0;
    const store = documentStore({
      ...documents,
      async put(...args) {
        const written = await documents.put(...args);
        if (lost++ === 0) throw new Error('socket hang up');
        return written;
      },
    });

    const granted = await settled(clock, store.acquire(claim('a1'), storeCall(clock)));

    expect(granted).toMatchObject({
      status: 'acquired',
      lease: { attemptId: 'a1', lockedAtMs: clock.now() - clock.monotonic() },
    });
    expect(await store.acquire(claim('a2'), storeCall(clock))).toMatchObject({ status: 'refused', reason: 'locked' });
    expect(clock.pendingTimers()).toBe(0);
  });

  test.each([
    ['a name never used', false],
    ['a name that was used', true],
  ])('F6 gives up on %s so that a write on its way is never applied', async (_, isUsed) => {
    const documents = memoryDocuments();
    const clock = manualClock();
    const sound = documentStore(documents);
    if (isUsed) await runOnce(sound, clock);
    const onTheirWay: (() => Promise<boolean>)[] = [];
    const store = documentStore({
      ...documents,
      put(key, value, version, signal) {
        if (JSON.stringify(value).includes('cancelled')) return documents.put(key, value, version, signal);
        onTheirWay.push(() => documents.put(key, value, version, signal));
        return untilAborted(signal);
      },
    });

    await expect(settled(clock, store.acquire(claim('a1'), storeCall(clock)))).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'UNAVAILABLE',
      retryable: true,
    });

    expect(onTheirWay.length).toBeGreaterThan(1);
    expect(await Promise.all(onTheirWay.map((arrive) => arrive()))).not.toContain(true);
    expect(await sound.acquire(claim('a2'), storeCall(clock))).toMatchObject({ status: 'acquired' });
  });

  test('F6 finds that the lock is its own when every answer was lost', async () => {
    const documents = memoryDocuments();
    const clock = manualClock();
    let gets = 0;
    const store = documentStore({
      get: (key, signal) =>
        gets++ > 0 && clock.monotonic() < 5_000 ? untilAborted(signal) : documents.get(key, signal),
      async put(...args) {
        await documents.put(...args);
        throw new Error('socket hang up');
      },
    });

    expect(await settled(clock, store.acquire(claim('a1'), storeCall(clock)))).toMatchObject({
      status: 'acquired',
      lease: { attemptId: 'a1', firstSentMono: 0 },
    });
  });

  test('F16 tells documents out of reach as an error within its budget, never as a lock that is held', async () => {
    const clock = manualClock();
    const store = documentStore({
      get: (_, signal) => untilAborted(signal),
      put: (_, __, ___, signal) => untilAborted(signal),
    });

    await expect(settled(clock, store.acquire(claim('a1'), storeCall(clock)))).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'UNAVAILABLE',
      lockName: 'digest',
    });
    expect(clock.monotonic()).toBeLessThan(5_300);
    expect(clock.pendingTimers()).toBe(0);
  });

  test.each(['get', 'put'] as const)('passes on at once what %s says that no second try mends', async (call) => {
    const denied = new LockStoreError('denied', {
      code: 'ACCESS_DENIED',
      lockName: 'digest',
      operation: 'acquire',
      retryable: false,
    });
    const clock = manualClock();
    const store = documentStore({ ...memoryDocuments(), [call]: () => Promise.reject(denied) });

    await expect(store.acquire(claim('a1'), storeCall(clock))).rejects.toBe(denied);
  });

  test.each(['fencingToken', 'lockedAtMs', 'lockUntilMs'])('F14 names a %s that is no number', async (attribute) => {
    const documents = memoryDocuments();
    const clock = manualClock();
    const store = documentStore(documents);
    await store.acquire(claim('a1'), storeCall(clock));
    const { grant, ...rest } = JSON.parse(documents.texts.get('digest') ?? '');
    documents.texts.set('digest', JSON.stringify({ ...rest, grant: { ...grant, [attribute]: 'soon' } }));

    const expected = { name: 'CorruptLockError', lockName: 'digest', attribute };
    await expect(store.acquire(claim('a2'), storeCall(clock))).rejects.toMatchObject(expected);
  });

  test('F53 is released although the answer was lost, and although a successor came since', async () => {
    const documents = memoryDocuments();
    const clock = manualClock();
    const sound = documentStore(documents);
    const lease = await leaseOf(sound, 'a1', clock, { tickMs: clock.now() });
    let puts = 0;
    const store = documentStore({
      ...documents,
      async put(...args) {
        puts++;
        await documents.put(...args);
        await sound.acquire(claim('a2'), storeCall(clock));
        throw new Error('socket hang up');
      },
    });

    expect(await settled(clock, store.release(lease, COMPLETION, storeCall(clock)))).toBe('released');
    expect(puts).toBe(1);
    expect(await sound.acquire(claim('a3', { tickMs: clock.now() - 3_600_000 }), storeCall(clock))).toMatchObject({
      reason: 'stale-tick',
    });
  });

  test("a dead holder's lock is taken over maxClockSkew after its end, and not before", async () => {
    const clock = manualClock();
    const store = documentStore(memoryDocuments());
    const { lockUntilMs } = await leaseOf(store, 'a1', clock);

    clock.stepWall(lockUntilMs + 999 - clock.now());
    expect(await store.acquire(claim('a2'), storeCall(clock))).toMatchObject({ reason: 'locked' });
    clock.stepWall(1);
    expect(await store.acquire(claim('a3'), storeCall(clock))).toMatchObject({
      status: 'acquired',
      clockUnverified: true,
      lease: { previous: { status: 'crashed', lockedBy: 'host of a1' } },
    });
  });

  test('the instants of a grant are carried on by the monotonic clock, whatever the wall clock does', async () => {
    const clock = manualClock();
    const store = documentStore(memoryDocuments());
    const lease = await leaseOf(store, 'a1', clock);
    await clock.advance(10_000);
    clock.stepWall(-3_600_000);

    expect(await store.extend(lease, { leaseMs: 60_000 }, storeCall(clock))).toMatchObject({
      status: 'extended',
      lockUntilMs: lease.lockedAtMs + 70_000,
      firstSentMono: 10_000,
    });
  });

  test('one instant judges a whole acquire: a clock that is set back does not refuse what is on its way', async () => {
    const documents = memoryDocuments();
    const clock = manualClock();
    const { lockUntilMs } = await leaseOf(documentStore(documents), 'a1', clock);
    clock.stepWall(lockUntilMs + 1_000 - clock.now());
    let puts = 0;
    const store = documentStore({
      ...documents,
      put(key, value, version, signal) {
        if (puts++ > 0) return documents.put(key, value, version, signal);
        clock.stepWall(-120_000);
        return untilAborted(signal);
      },
    });

    expect(await settled(clock, store.acquire(claim('a2'), storeCall(clock)))).toMatchObject({ status: 'acquired' });
  });

  test('a host whose clock is an hour behind gets a free lock, and a token that is greater still', async () => {
    const clock = manualClock();
    const store = documentStore(memoryDocuments());
    const lease = await leaseOf(store, 'a1', clock);
    await store.release(lease, COMPLETION, storeCall(clock));
    clock.stepWall(-3_600_000);

    expect((await leaseOf(store, 'a2', clock)).fencingToken).toBeGreaterThan(lease.fencingToken);
  });

  test('F88 a document does not grow with its runs', async () => {
    const documents = memoryDocuments();
    const clock = manualClock();
    const store = documentStore(documents);
    const lengthAfter = async (runs: number) => {
      for (let n = 0; n < runs; n++) await runOnce(store, clock);
      return documents.texts.get('digest')?.length;
    };

    expect(await lengthAfter(12)).toBe(await lengthAfter(12));
  });
});

async function leaseOf(store: LockStore, attemptId: string, clock: ManualClock, more: Partial<Claim> = {}) {
  const result = await store.acquire(claim(attemptId, more), storeCall(clock));
  if (result.status === 'refused') throw new Error(`refused: ${result.reason}`);
  return result.lease;
}

async function runOnce(store: LockStore, clock: ManualClock): Promise<void> {
  const lease = await leaseOf(store, `a${crypto.randomUUID()}`, clock);
  await store.release(lease, COMPLETION, storeCall(clock));
}

/** A call that is never answered, by a client that heeds its signal. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
