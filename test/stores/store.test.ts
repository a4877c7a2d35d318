import { type Claim, type LockStore, LockStoreError } from 'single-execution';
import { compareAndSwapStore, type Storage, type StoredRecord } from 'single-execution/store';
import { type ContractCase, type ContractHarness, lockStoreContract, manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { defined } from '../../src/core/values/defined.js';
import { memberListName } from '../../src/core/values/names.js';
import { expectGranted } from '../../src/testing/contract/stage/expectation.js';
import { shiftedClock } from '../support/clocks.js';
import { manuallyTimed, storeCall } from '../support/contract-harness.js';
import { memberCases } from '../support/member-cases.js';
import { claim, done } from '../support/one-run.js';
import { failureOf, settledOf } from '../support/settled.js';

type Texts = Storage<string> & { readonly texts: Map<string, string> };

/** Records in memory, with the weakest versions that are allowed: equal records have the same version. */
function textStorage(time: { now(): number }): Texts {
  const texts = new Map<string, string>();
  return {
    texts,
    async read(key) {
      const version = texts.get(key);
      const record: StoredRecord | undefined = version === undefined ? undefined : JSON.parse(version);
      return { record, version, nowMs: Math.round(time.now()) };
    },
    async write(key, record, version) {
      if (texts.get(key) !== version) return false;
      texts.set(key, JSON.stringify(record));
      return true;
    },
    async list(prefix) {
      const found = [...texts].filter(([key]) => key.startsWith(prefix));
      return found.map(([key, text]) => ({ key, record: JSON.parse(text) }));
    },
  };
}

/** The harness of the contract. The host's clock is ten minutes behind, which must not matter. */
function harness(tell = (trueMs: number) => trueMs, leasePadMs = 0): ContractHarness {
  const server = manualClock();
  const host = manualClock(server.now() - 600_000);
  const bare = textStorage({ now: () => tell(server.now()) });
  const storage = { ...bare, ...(leasePadMs > 0 && { clockResolutionMs: leasePadMs }) };
  const store = compareAndSwapStore({ storage, keyPrefix: 'test:' });
  return {
    store,
    admin: store,
    ...manuallyTimed(server),
    leasePadMs,
    async expire({ lockUntilMs }) {
      while (tell(server.now()) < lockUntilMs) server.suspend(lockUntilMs - tell(server.now()));
    },
    call() {
      server.suspend(1);
      host.suspend(1);
      return storeCall(host);
    },
    async patch(name, attributes) {
      const key = `test:${name}`;
      storage.texts.set(key, JSON.stringify({ ...JSON.parse(storage.texts.get(key) ?? '{}'), ...attributes }));
    },
  };
}

describe('row 68: a store over a storage that compares and swaps keeps the contract, whatever the host’s clock', () => {
  for (const { name, check } of [...lockStoreContract, ...memberCases]) test(name, () => check(harness()));
});

const claimOf = (attemptId: string, more: Partial<Claim> = {}) =>
  claim({ attemptId, lockedBy: `host of ${attemptId}`, ...more });

describe('F14 no verb writes over a record that cannot be read', () => {
  const VERBS: Readonly<Record<string, (verbs: ReturnType<typeof setting>) => Promise<unknown>>> = {
    acquire: ({ sound, acquire }) => acquire(sound, 'a1'),
    pause: ({ sound, call }) => sound.pause('digest', { untilMs: 9e12, by: 'me' }, call()),
    delete: ({ clock, sound, call }) =>
      sound.delete({ name: 'digest', adminId: 'x', fencingToken: 0, nowMs: clock.now() }, call()),
    checkIn: ({ sound, call }) => sound.checkIn({ group: 'digest', member: 'm', forget: [] }, call()),
  };

  test.each(Object.entries(VERBS))('%s', async (_, verb) => {
    const stage = setting();
    const { storage } = stage;
    for (const key of ['digest', memberListName('digest')]) storage.texts.set(key, '{"state":"unreadable"}');
    const before = new Map(storage.texts);
    const error = await failureOf(verb(stage));

    expect(error).toMatchObject({ name: 'CorruptLockError', attribute: 'state' });
    expect(storage.texts).toEqual(before);
  });

  test('nor do the verbs that find nothing to do there', async () => {
    const { clock, storage, sound, call, grant } = setting();
    const lease = await grant(sound, 'a1');
    storage.texts.set('digest', '{"state":"unreadable"}');
    const { fencingToken } = lease;
    const operator = { name: 'digest', adminId: 'x', nowMs: clock.now() };
    const answers = [
      await sound.extend(lease, { leaseMs: 1_000 }, call()),
      await sound.release(lease, done, call()),
      await sound.resume('digest', call()),
      await sound.forceRelease({ ...operator, fencingToken, lockedAtMs: clock.now() }, call()),
      await sound.listTicks({ name: 'digest', openTicks: '', failedTicks: '', seen: { fencingToken } }, call()),
    ];

    expect(answers).toEqual([{ status: 'lost' }, 'lost', 'not-paused', 'changed', 'changed']);
    expect(storage.texts.get('digest')).toBe('{"state":"unreadable"}');
  });
});

/** A call that is never answered. It rejects when its signal aborts. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const hangUp = () => Promise.reject(new Error('socket hang up'));

function setting() {
  const clock = manualClock();
  const storage = textStorage(clock);
  const over = (changes: Partial<Storage<string>>) => compareAndSwapStore({ storage: { ...storage, ...changes } });
  const call = () => storeCall(clock);
  const acquire = (store: LockStore, attemptId: string, more: Partial<Claim> = {}) =>
    store.acquire(claimOf(attemptId, more), call());
  return {
    clock,
    storage,
    over,
    sound: over({}),
    call,
    acquire,
    grant: async (...asked: Parameters<typeof acquire>) => expectGranted(await acquire(...asked), 'acquire'),
    /** Turns the clock until the promise has settled. */
    async settled<T>(promise: Promise<T>): Promise<T> {
      const isSettled = settledOf(promise);
      for (let turns = 0; !isSettled() && turns < 10_000; turns++) await clock.advance(10);
      return promise;
    },
  };
}

describe('an answer that is lost', () => {
  test('F51 of a release that came to nothing is unknown once a successor came', async () => {
    const { clock, over, sound, call, acquire, grant, settled } = setting();
    const lease = await grant(sound, 'a1');
    const store = over({
      async write() {
        clock.suspend(60_000);
        await acquire(sound, 'a2');
        return hangUp();
      },
    });

    expect(await settled(store.release(lease, done, call()))).toBe('unknown');
  });

  test('F53 a release of the first grant does not end a second one of its attempt', async () => {
    const { clock, sound, call, grant } = setting();
    const first = await grant(sound, 'a1');
    const { name, fencingToken, lockedAtMs } = first;
    const force = { name, adminId: 'f0', fencingToken, lockedAtMs, nowMs: clock.now() };
    await sound.forceRelease(force, call());
    clock.suspend(1);
    // A second try of the same attempt, while the answer to the first is still on its way.
    const second = await grant(sound, 'a1');

    expect(await sound.release(first, done, call())).toBe('lost');
    expect((await sound.get('digest', call()))?.item).toMatchObject({
      state: 'held',
      fencingToken: second.fencingToken,
    });
  });

  test('of an operator’s verb: it is done, or the operator looks again', async () => {
    const { clock, storage, over, sound, call, grant, settled } = setting();
    const { fencingToken, lockedAtMs } = await grant(sound, 'a1');
    const force = { name: 'digest', fencingToken, lockedAtMs, nowMs: clock.now() };
    const losing = (before: () => Promise<unknown>) =>
      over({
        async write(...args) {
          await before();
          await storage.write(...args);
          return hangUp();
        },
      });
    const other = () => sound.forceRelease({ ...force, adminId: 'f0' }, call());

    await expect(settled(losing(other).forceRelease({ ...force, adminId: 'f1' }, call()))).rejects.toThrow(
      'forceRelease of lock "digest" went unanswered, and the lock has changed since; look at it again',
    );
    const quiet = losing(async () => undefined);
    await settled(quiet.pause('digest', { untilMs: clock.now() + 60_000, by: 'ann' }, call()).catch(() => {}));
    expect(await settled(quiet.resume('digest', call()))).toBe('resumed');
  });
});

describe('a write that comes late', () => {
  test.each([
    ['never used', false],
    ['used before', true],
  ])('F6 of an acquire that has given up is refused, for a name %s', async (_, isUsed) => {
    const { storage, over, sound, call, acquire, grant, settled } = setting();
    if (isUsed) await sound.release(await grant(sound, 'a0'), done, call());
    const onTheirWay: (() => Promise<boolean>)[] = [];
    const store = over({
      write(key, record, version, signal) {
        if (record['barredAttempt'] === 'a1') return storage.write(key, record, version, signal);
        onTheirWay.push(() => storage.write(key, record, version, signal));
        return untilAborted(signal);
      },
    });

    await expect(settled(acquire(store, 'a1'))).rejects.toMatchObject({
      name: 'LockStoreError',
      code: 'UNAVAILABLE',
      retryable: true,
    });

    expect(onTheirWay.length).toBeGreaterThan(1);
    expect(await Promise.all(onTheirWay.map((arrive) => arrive()))).not.toContain(true);
    expect(await acquire(sound, 'a2')).toMatchObject({ status: 'acquired' });
  });

  test('F6 of an acquire is its own when every answer was lost', async () => {
    const { clock, storage, over, acquire, settled } = setting();
    let reads = 0;
    const store = over({
      read: (key, signal) =>
        reads++ > 0 && clock.monotonic() < 5_000 ? untilAborted(signal) : storage.read(key, signal),
      async write(...args) {
        await storage.write(...args);
        return hangUp();
      },
    });

    expect(await settled(acquire(store, 'a1'))).toMatchObject({
      status: 'acquired',
      lease: { attemptId: 'a1', firstSentMono: 0 },
    });
  });

  test('a read that is answered after its call has ended is followed by no write', async () => {
    const { clock, storage, over, acquire, settled } = setting();
    let answer = () => {};
    let reads = 0;
    let writes = 0;
    const store = over({
      async read(...args) {
        if (reads++ === 0) await new Promise<void>((resolve) => (answer = resolve));
        return storage.read(...args);
      },
      write(...args) {
        writes++;
        return storage.write(...args);
      },
    });

    const granted = await settled(acquire(store, 'a1'));
    expect(granted).toMatchObject({ status: 'acquired' });
    answer();
    await clock.advance(10);

    expect(writes).toBe(1);
  });
});

describe('a storage that fails', () => {
  test.each([
    [
      'out of reach is an error within the budget, never a lock that is held',
      (_: string, signal: AbortSignal) => untilAborted(signal),
      'the storage did not answer in time: check its address and the network',
      {},
    ],
    [
      'with an error of its client keeps it as the cause',
      hangUp,
      'the storage did not answer (Error); see the cause, and try again',
      { cause: { message: 'socket hang up' } },
    ],
  ])('%s', async (_, read, why, more) => {
    const { clock, over, acquire, settled } = setting();
    const store = over({ read: read as Storage<string>['read'] });

    const error = { name: 'LockStoreError', code: 'UNAVAILABLE', retryable: true, lockName: 'digest', ...more };
    const message = `acquire of lock "digest" failed: ${why}`;
    await expect(settled(acquire(store, 'a1'))).rejects.toMatchObject({ ...error, message });
    expect(clock.monotonic()).toBeLessThan(5_300);
    expect(clock.pendingTimers()).toBe(0);
  });

  test.each(['read', 'write'] as const)('F16 with what no second try fixes, by %s, fails at once', async (request) => {
    const { over, acquire } = setting();
    const details = { code: 'ACCESS_DENIED', lockName: '', operation: 'get', retryable: false } as const;
    const denied = () => Promise.reject(new LockStoreError('the bucket is not yours; ask for it', details));
    const store = over({ [request]: denied });

    const message = 'acquire of lock "digest" failed: the bucket is not yours; ask for it';
    const error = { ...details, lockName: 'digest', operation: 'acquire', message };
    await expect(acquire(store, 'a1')).rejects.toMatchObject(error);
  });

  test('whose write was surely not applied needs no cancel', async () => {
    const { storage, over, acquire, settled } = setting();
    const store = over({ write: hangUp, isUnsent: () => true });

    await expect(settled(acquire(store, 'a1'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(storage.texts.size).toBe(0);
  });

  test.each([Math.floor(Date.UTC(2026, 0, 1) / 1_000), Number.NaN, 1_767_225_600_000.5])(
    'that tells %s as its time is refused with the remedy',
    async (nowMs) => {
      const { over, acquire } = setting();
      const store = over({ read: async () => ({ nowMs }) });

      await expect(acquire(store, 'a1')).rejects.toMatchObject({
        message: `acquire of lock "digest" failed: the storage's nowMs is ${nowMs}; pass whole epoch milliseconds`,
        code: 'INVALID_REQUEST',
      });
    },
  );

  test('that cannot list says so only at a list', async () => {
    const { storage, call, grant } = setting();
    const { list: _, texts: __, ...bare } = storage;
    const store = compareAndSwapStore({ storage: bare });
    await grant(store, 'a1');

    expect(await store.get('digest', call())).toMatchObject({ item: { state: 'held' } });
    await expect(store.list(call())).rejects.toThrow(
      'list failed: the storage has no function list; add one that finds all keys that begin with a prefix',
    );
  });
});

describe('time', () => {
  test('a clock of the storage that steps back does not shorten what a holder has been granted', async () => {
    const { clock, storage, over, call, grant } = setting();
    let stepMs = 0;
    const store = over({
      async read(key, signal) {
        const { nowMs, ...found } = await storage.read(key, signal);
        return { ...found, nowMs: nowMs + stepMs };
      },
    });
    const lease = await grant(store, 'a1');
    await clock.advance(10_000);
    stepMs = -3_600_000;

    expect(await store.extend(lease, { leaseMs: 60_000 }, call())).toMatchObject({
      status: 'extended',
      lockUntilMs: lease.lockedAtMs + 70_000,
      firstSentMono: 10_000,
    });
  });
});

const SECOND = 1_000;

describe('F200 row 213: a store over a storage that declares whole seconds keeps the contract', () => {
  const coarse = () => harness((ms) => ms - (ms % SECOND), SECOND);
  for (const { name, check } of lockStoreContract) test(name, () => check(coarse()));
});

describe('F200 row 213: a coarse clock of the storage', () => {
  const CLOCKS: Readonly<Record<string, (trueMs: number) => number>> = {
    'rounds down': (ms) => ms - (ms % SECOND),
    'rounds to nearest': (ms) => Math.round(ms / SECOND) * SECOND,
    'stands still within a second': (ms) => ms - (ms % SECOND) + 123,
  };
  const OFFSETS = [0, 1, 122, 123, 250, 499, 500, 501, 750, 999];

  /** The store over a clock like this, and the time until another caller gets the lock. */
  function coarse(tell: (trueMs: number) => number, offsetMs: number) {
    const server = manualClock(Date.UTC(2026, 0, 1) + offsetMs);
    const storage = textStorage({ now: () => tell(server.now()) });
    const store = compareAndSwapStore({ storage: { ...storage, clockResolutionMs: SECOND } });
    const ask = (attemptId: string, more: Partial<Claim> = {}) =>
      store.acquire(claimOf(attemptId, more), storeCall(server));
    const grant = async (more?: Partial<Claim>) => expectGranted(await ask('a1', more), 'acquire');
    const freeAfter = async () => {
      const startMs = server.now();
      server.suspend(59_999);
      for (let n = 0; (await ask(`b${n}`)).status === 'refused'; n++) server.suspend(n === 0 ? 1 : 100);
      return server.now() - startMs;
    };
    return { server, store, grant, freeAfter };
  }

  const ENDS: Readonly<Record<string, (stage: ReturnType<typeof coarse>) => Promise<unknown>>> = {
    'a lease': ({ grant }) => grant(),
    async 'an extension'({ server, store, grant }) {
      const lease = await grant({ leaseMs: 5_000 });
      server.suspend(3_777);
      await store.extend(lease, { leaseMs: 60_000 }, storeCall(server));
    },
    async 'a mark'({ server, store, grant }) {
      const lease = await grant({ leaseMs: 5_000, tickMs: server.now() });
      server.suspend(3_777);
      await store.mark(lease, { tickMs: server.now() - 60_000, leaseMs: 60_000 }, storeCall(server));
    },
    async 'a lockAtLeastFor'({ server, store, grant }) {
      await store.release(await grant(), { ...done, lockAtLeastForMs: 60_000 }, storeCall(server));
    },
  };

  for (const [kind, tell] of Object.entries(CLOCKS)) {
    test.each(Object.entries(ENDS))(
      `that ${kind} ends %s no earlier, and two steps later at most`,
      async (_, begin) => {
        for (const offsetMs of OFFSETS) {
          const stage = coarse(tell, offsetMs);
          await begin(stage);
          const afterMs = await stage.freeAfter();
          expect(afterMs, `at ${offsetMs} ms of a second`).toBeGreaterThanOrEqual(60_000);
          expect(afterMs, `at ${offsetMs} ms of a second`).toBeLessThanOrEqual(62_100);
        }
      },
    );
  }

  test.each(Object.entries(CLOCKS))(
    'F201 row 214: that %s is refused by the contract if it is not declared',
    async (_, tell) => {
      const contractCase = lockStoreContract.find(({ name }) => name.startsWith('F201')) as ContractCase;
      // A clock that goes on by itself, as that of a real storage.
      const real = (clockResolutionMs?: number): ContractHarness => {
        const storage = { ...textStorage({ now: () => tell(Date.now()) }), ...defined({ clockResolutionMs }) };
        const call = () => storeCall(shiftedClock(-600_000));
        return { ...harness(), store: compareAndSwapStore({ storage }), call };
      };

      await expect(contractCase.check(real())).rejects.toThrow(
        'a step of the clock (lockedAtMs): declare its resolution',
      );
      await contractCase.check(real(SECOND));
    },
  );

  test('F201 row 214: that stands still, because a test turns it, is not refused', async () => {
    const { now } = manualClock();
    const store = compareAndSwapStore({ storage: textStorage({ now }) });
    const contractCase = lockStoreContract.find(({ name }) => name.startsWith('F201')) as ContractCase;

    await contractCase.check({ ...harness(), store, call: () => storeCall(manualClock()) });
  });

  test('makes the bounds of the host’s clock wider', async () => {
    const { grant } = coarse((ms) => ms - (ms % SECOND), 400);
    const server = manualClock(Date.UTC(2026, 0, 1) + 400);
    const storage = { ...textStorage({ now: () => server.now() - 400 }), clockResolutionMs: SECOND };
    const store = compareAndSwapStore({ storage });

    expect(await store.acquire(claimOf('a1'), storeCall(server))).toMatchObject({ clock: { minMs: -400, maxMs: 600 } });
    expect((await grant()).lockedAtMs % SECOND).toBe(0);
  });

  test.each([0, -1, 0.5, 60_001, '1000', Number.NaN])('of %s ms is refused with the remedy', (clockResolutionMs) => {
    const storage = { ...textStorage(manualClock()), clockResolutionMs: clockResolutionMs as number };

    expect(() => compareAndSwapStore({ storage })).toThrow(
      /^storage.clockResolutionMs is .*: pass whole milliseconds from 1/,
    );
  });
});

test('what stands under the prefix with a key that no lock can have is not listed', async () => {
  const { storage, call, grant } = setting();
  const store = compareAndSwapStore({ storage, keyPrefix: 'app:' });
  await grant(store, 'a1');
  for (const key of ['app:', 'app:line\nbreak', 'other']) storage.texts.set(key, '{}');

  expect((await store.list(call())).map(({ name }) => name)).toEqual(['digest']);
});
