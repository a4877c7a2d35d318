import { type Claim, type ExecuteOptions, executeWithLock, type LockStore, type StoreCall } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import type { Waiting } from '../../../src/core/ports/lock-store.js';
import { takingTurns } from '../../../src/core/request/turns.js';
import { storeCall } from '../../support/contract-harness.js';
import { gate } from '../../support/gate.js';
import { claim, done } from '../../support/one-run.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';
import { settledOf } from '../../support/settled.js';

const ABREAST = 64;
const FOREVER = Number.POSITIVE_INFINITY;

/** A store that takes turns, and calls to it that each are answered when the test says so. */
function manyCalls() {
  const clock = manualClock();
  const sent: string[] = [];
  const limits: StoreCall[] = [];
  const answers = new Map<string, () => void>();
  const send = async (name: string, limit: StoreCall) => {
    sent.push(name);
    limits.push(limit);
    const { opened, open } = gate();
    answers.set(name, open);
    await opened;
    if (name.startsWith('failing')) throw new Error(name);
  };
  const bare: LockStore = scriptedStore({
    async acquire(asked, limit) {
      await send(asked.name, limit);
      return grantOf(asked, limit);
    },
    async release({ name }, _, limit) {
      await send(name, limit);
      return 'released';
    },
  });
  const client = {};
  const store = takingTurns(client, bare);
  const limit = (over: Partial<Waiting> = {}): StoreCall => ({
    ...storeCall(clock),
    budgetMs: 5_000,
    waiting: { untilMono: FOREVER, ...over },
  });
  const call = async (name: string, over?: Partial<Waiting>) => {
    await store.acquire(claim({ name }), limit(over));
    return name;
  };
  const urgent = (name: string, over?: Partial<Waiting>) =>
    store.release(grantOf(claim({ name }), limit()).lease, done, limit(over)).then(() => name);
  /** As many calls as may be under way at a time. */
  const fill = (name = 'early') => {
    const calls = Array.from({ length: ABREAST }, (_, n) => call(`${name} ${n}`));
    for (const each of calls) each.catch(() => undefined);
  };
  const answer = async (name: string) => {
    await clock.advance(0);
    answers.get(name)?.();
    await clock.advance(0);
  };
  const late = () => sent.filter((name) => !/early/.test(name));
  return { clock, client, bare, store, sent, limits, limit, late, call, urgent, fill, answer };
}

const unsent = (calls: readonly Promise<unknown>[]) =>
  Promise.all(calls.map((each) => each.catch((error: unknown) => error)));
const NO_TURN = { name: 'RunEndedError', code: 'DEADLINE' };

test('row 97: 64 calls are under way at a time; the next one is sent when one of them is answered, or fails', async () => {
  const { sent, late, call, fill, answer } = manyCalls();
  fill('failing early');
  const next = [call('a'), call('b')];
  await answer('none');
  expect(sent).toHaveLength(ABREAST);

  await answer('failing early 7');
  expect(late()).toEqual(['a']);
  await answer('a');
  expect(late()).toEqual(['a', 'b']);
  await answer('b');
  expect(await Promise.all(next)).toEqual(['a', 'b']);
});

test('row 97: what is urgent goes before what is not', async () => {
  const { late, call, urgent, fill, answer } = manyCalls();
  fill();
  void call('a');
  void urgent('release 1');
  void urgent('release 2');
  await answer('early 1');
  await answer('early 2');
  await answer('early 3');

  expect(late()).toEqual(['release 1', 'release 2', 'a']);
});

test('row 97: nobody waits longer than it may; then only what is urgent is sent', async () => {
  const { clock, late, call, urgent, fill, answer } = manyCalls();
  fill();
  const calls = [call('a', { untilMono: 2_500 }), urgent('release', { untilMono: 2_500 })];
  for (const each of calls) each.catch(() => undefined);
  await clock.advance(2_499);
  expect(late()).toEqual([]);

  await clock.advance(1);
  expect(late()).toEqual(['release']);
  await answer('release');
  expect(await unsent(calls)).toMatchObject([NO_TURN, 'release']);
  expect(clock.pendingTimers()).toBe(0);
});

test('row 97: one whose signal aborts waits no longer', async () => {
  const { clock, late, call, fill } = manyCalls();
  const [before, meanwhile] = [new AbortController(), new AbortController()];
  before.abort();
  fill();
  const calls = [call('a', { signal: before.signal }), call('b', { signal: meanwhile.signal })];
  for (const each of calls) each.catch(() => undefined);
  meanwhile.abort();

  expect(await unsent(calls)).toMatchObject([NO_TURN, NO_TURN]);
  expect(late()).toEqual([]);
  expect(clock.pendingTimers()).toBe(0);
});

describe('row 97: a store that answers nobody', () => {
  test('is waited for no more than 5 s, and not at all from then on', async () => {
    const { clock, late, call, fill } = manyCalls();
    fill();
    void call('a');
    await clock.advance(4_999);
    expect(late()).toEqual([]);

    await clock.advance(1);
    expect(late()).toEqual(['a']);
    void call('b');
    await clock.advance(0);
    expect(late()).toEqual(['a', 'b']);
  });

  test('is waited for again once it has answered', async () => {
    const { clock, late, call, fill, answer } = manyCalls();
    fill();
    void call('a');
    await clock.advance(5_000);
    await answer('a');
    void call('b');
    expect(late()).toEqual(['a']);

    await answer('early 1');
    expect(late()).toEqual(['a', 'b']);
  });

  test('is waited for as long as it answers somebody', async () => {
    const { clock, late, call, urgent, fill, answer } = manyCalls();
    fill();
    void call('a');
    for (let n = 0; n < 10; n++) {
      void urgent(`release ${n}`, { untilMono: clock.monotonic() });
      await clock.advance(900);
      await answer(`release ${n}`);
    }

    expect(late()).not.toContain('a');
  });
});

test('row 97: a call that its platform has cut off is counted for 20 s', async () => {
  const { clock, late, call, urgent, fill, answer } = manyCalls();
  fill();
  await clock.advance(19_999);
  void call('a');
  expect(late()).toEqual([]);
  await clock.advance(1);
  void urgent('release');
  await clock.advance(0);
  expect(late()).toEqual(['release']);
  await answer('release');

  expect(late()).toEqual(['release', 'a']);
});

test('row 97: stores over one client take turns together', async () => {
  const { clock, client, bare, limit, sent, late, fill, answer } = manyCalls();
  fill();
  const other = takingTurns(client, bare);
  void other.acquire(claim({ name: 'other store' }), limit());
  const alone = takingTurns({}, bare);
  void alone.acquire(claim({ name: 'other client' }), limit());
  await clock.advance(0);
  expect(late()).toEqual(['other client']);

  await answer('early 1');
  expect(sent.at(-1)).toBe('other store');
});

test('row 97: a call without a time to wait is sent at once', async () => {
  const { clock, store, limit, late, fill } = manyCalls();
  fill();
  const { waiting: _, ...call } = limit();
  void store.acquire(claim({ name: 'loose' }), call);
  await clock.advance(0);

  expect(late()).toEqual(['loose']);
});

test.each([
  ['has the time of its call, if it did not wait', 0, 10_000, 5_000],
  ['has half of what is left, if it has waited', 4_000, 10_000, 3_000],
  ['has the time of its call, if more than twice that is left', 4_000, 60_000, 5_000],
  ['has half a try, if almost nothing is left', 9_900, 10_000, 500],
])('row 97: a call %s', async (_, waitedMs, endMono, budgetMs) => {
  const { clock, limits, late, call, urgent, fill, answer } = manyCalls();
  if (waitedMs > 0) fill();
  void call('a', { endMono: clock.monotonic() + endMono });
  for (let ms = 0; ms < waitedMs; ms += 100) {
    // The store answers somebody, so that the call goes on waiting for it.
    void urgent(`early ${ms} ms`, { untilMono: clock.monotonic() });
    await answer(`early ${ms} ms`);
    await clock.advance(100);
  }
  await answer('early 1');

  expect(late()).toEqual(['a']);
  expect(limits.at(-1)).toMatchObject({ budgetMs });
});

describe('row 97: a run whose turn comes late', () => {
  /** A store that does not answer as many acquires as may be under way. */
  async function busyStore(over: Partial<LockStore> = {}) {
    const clock = manualClock();
    const claims: Claim[] = [];
    const open: (() => void)[] = [];
    const store = takingTurns(
      {},
      scriptedStore({
        async acquire(claim, call) {
          claims.push(claim);
          if (claim.name.startsWith('early')) await new Promise<void>((resolve) => open.push(resolve));
          return grantOf(claim, call);
        },
        ...over,
      }),
    );
    const options = { store, clock, lockAtMostFor: '1m', observers: [] } satisfies Partial<ExecuteOptions>;
    const run = (name: string, more: Partial<ExecuteOptions> = {}) =>
      executeWithLock(({ lockedAt }) => lockedAt, { ...options, ...more, name });
    for (let n = 0; n < ABREAST; n++) void run(`early ${n}`);
    await clock.advance(0);
    return { clock, claims, open, run };
  }

  test('counts its lease and its budget from then on', async () => {
    const { clock, claims, open, run } = await busyStore();
    const outcome = run('late');
    await clock.advance(3_000);
    expect(claims).toHaveLength(ABREAST);

    open[0]?.();
    await clock.advance(0);
    expect(await outcome).toMatchObject({ status: 'executed', value: new Date(clock.now()), release: 'released' });
  });

  test('is refused with a RunEndedError when its platform ends it first, and has sent nothing', async () => {
    const { clock, claims, run } = await busyStore();
    const outcome = run('late', { deadline: clock.now() + 3_000 });
    const isSettled = settledOf(outcome);
    outcome.catch(() => undefined);
    await clock.advance(2_699);
    expect(isSettled()).toBe(false);

    await clock.advance(1);
    await expect(outcome).rejects.toMatchObject({ name: 'RunEndedError', code: 'DEADLINE', lockName: 'late' });
    await expect(outcome).rejects.toThrow(/too many calls .* nothing was sent$/);
    expect(claims).toHaveLength(ABREAST);
  });

  test('is skipped as locked when it waits for a lock that was held, and its wait is over', async () => {
    const refusal = { status: 'refused', reason: 'locked' } as const;
    let asked = 0;
    const { clock, run } = await busyStore({
      acquire: (claim) => {
        if (claim.name.startsWith('early')) return new Promise(() => undefined);
        asked++;
        return Promise.resolve(refusal);
      },
    });
    // Nobody is answered, so that it is sent after 5 s and refused; the turns are all taken when it asks again.
    const outcome = run('late', { wait: '7s' });
    await clock.advance(10_000);

    expect(await outcome).toMatchObject({ status: 'skipped', reason: 'locked' });
    expect(asked).toBe(1);
  });
});

test('row 97: a release waits for half of what is left of its lease, and is then sent', async () => {
  const clock = manualClock();
  const released: [string, number][] = [];
  const store = takingTurns(
    {},
    scriptedStore({
      acquire: async (claim, call) => {
        if (claim.name.startsWith('early')) return new Promise(() => undefined);
        return grantOf(claim, call);
      },
      release: async ({ name }) => {
        released.push([name, clock.monotonic()]);
        return 'released';
      },
    }),
  );
  const options = { store, clock, observers: [] };
  const done = gate();
  const outcome = executeWithLock(() => done.opened, { ...options, name: 'job', lockAtMostFor: '5s' });
  await clock.advance(0);
  for (let n = 0; n < ABREAST; n++)
    void executeWithLock(() => {}, { ...options, name: `early ${n}`, lockAtMostFor: '1m' });
  await clock.advance(1_000);
  done.open();
  await clock.advance(4_000);

  // The lease of 5 s ends, less its guard, at 4.8 s: 3.8 s were left.
  expect(released).toEqual([['job', 2_900]]);
  expect(await outcome).toMatchObject({ status: 'executed', release: 'released' });
});
