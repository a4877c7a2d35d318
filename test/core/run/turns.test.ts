import { type Claim, type ExecuteOptions, executeWithLock, type LockStore } from 'single-execution';
import { manualClock } from 'single-execution/testing';
import { describe, expect, test } from 'vitest';
import { inTurn, nextInTurn, type Waiting } from '../../../src/core/run/turns.js';
import { gate } from '../../support/gate.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';
import { settledOf } from '../../support/settled.js';

const ABREAST = 64;
const FOREVER = Number.POSITIVE_INFINITY;

/** A store, and calls to it that each are answered when the test says so. */
function manyCalls() {
  const clock = manualClock();
  const store = scriptedStore();
  const sent: string[] = [];
  const answers = new Map<string, () => void>();
  const sending = (name: string) => async () => {
    sent.push(name);
    const { opened, open } = gate();
    answers.set(name, open);
    await opened;
    if (name.startsWith('failing')) throw new Error(name);
    return name;
  };
  const waiting = (over: Partial<Waiting> = {}): Waiting => ({ clock, untilMono: FOREVER, ...over });
  const call = (name: string, over?: Partial<Waiting>) => inTurn(store, waiting(over), sending(name));
  const urgent = (name: string, over?: Partial<Waiting>) => nextInTurn(store, waiting(over), sending(name));
  /** As many calls as may be under way at a time. */
  const fill = (name = 'early') => {
    const calls = Array.from({ length: ABREAST }, (_, n) => call(`${name} ${n}`));
    for (const each of calls) each.catch(() => undefined);
  };
  const answer = async (name: string) => {
    answers.get(name)?.();
    await clock.advance(0);
  };
  const late = () => sent.filter((name) => !/early/.test(name));
  return { clock, store, sent, late, call, urgent, fill, answer };
}

test('row 97: 64 calls are under way at a time; the next one is sent when one of them is answered', async () => {
  const { sent, late, call, fill, answer } = manyCalls();
  fill();
  const next = [call('a'), call('b')];
  await answer('none');
  expect(sent).toHaveLength(ABREAST);

  await answer('early 7');
  expect(late()).toEqual(['a']);
  await answer('a');
  expect(late()).toEqual(['a', 'b']);
  await answer('b');
  expect(await Promise.all(next)).toEqual(['a', 'b']);
});

test('row 97: a call that fails gives its turn on too', async () => {
  const { late, call, fill, answer } = manyCalls();
  fill('failing early');
  void call('a');
  await answer('failing early 7');

  expect(late()).toEqual(['a']);
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
  const calls = [call('a', { untilMono: 2_500 }), urgent('release', { untilMono: 2_500 })] as const;
  await clock.advance(2_499);
  expect(late()).toEqual([]);

  await clock.advance(1);
  expect(late()).toEqual(['release']);
  await answer('release');
  expect(await Promise.all(calls)).toEqual([undefined, 'release']);
  expect(clock.pendingTimers()).toBe(0);
});

test('row 97: one whose signal aborts waits no longer', async () => {
  const { clock, late, call, fill } = manyCalls();
  const [before, meanwhile] = [new AbortController(), new AbortController()];
  before.abort();
  fill();
  const calls = [call('a', { signal: before.signal }), call('b', { signal: meanwhile.signal })];
  meanwhile.abort();

  expect(await Promise.all(calls)).toEqual([undefined, undefined]);
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
  expect(late()).toEqual(['release']);
  await answer('release');

  expect(late()).toEqual(['release', 'a']);
});

describe('row 97: a run whose turn comes late', () => {
  /** A store that does not answer as many acquires as may be under way. */
  async function busyStore(over: Partial<LockStore> = {}) {
    const clock = manualClock();
    const claims: Claim[] = [];
    const open: (() => void)[] = [];
    const store = scriptedStore({
      async acquire(claim, call) {
        claims.push(claim);
        if (claim.name.startsWith('early')) await new Promise<void>((resolve) => open.push(resolve));
        return grantOf(claim, call);
      },
      ...over,
    });
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
  const store = scriptedStore({
    acquire: async (claim, call) => {
      if (claim.name.startsWith('early')) return new Promise(() => undefined);
      return grantOf(claim, call);
    },
    release: async ({ name }) => {
      released.push([name, clock.monotonic()]);
      return 'released';
    },
  });
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
