import { CorruptLockError, currentExecution, LockStoreError } from 'single-execution';
import { eventBridge } from 'single-execution/schedule';
import { expect, vi } from 'vitest';
import { pass } from '../../support/clocks.js';
import { gate } from '../../support/gate.js';
import { NOW } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';
import type { Called, Job } from './platform.js';

const OF_ANOTHER_LOCK = { code: 'UNAVAILABLE', lockName: 'other', operation: 'acquire', retryable: true } as const;
const THROWN: readonly unknown[] = [
  new Error('no database'),
  undefined,
  'no database',
  // Errors of another lock's store: an adapter must not handle them as errors of its own store.
  new LockStoreError('no store', OF_ANOTHER_LOCK),
  new CorruptLockError('other', 'lockUntil', 'NaN'),
];

export const callCases: readonly AdapterCase[] = [
  adapterCase('row 62: F48 the handler is given the very arguments, and its execution', async ({ run, due }) => {
    const args = due();
    const given = await run({}, args);

    expect(given.args).toHaveLength(args.length);
    for (const [place, arg] of args.entries()) expect(given.args[place]).toBe(arg);
    const tick = new Date(NOW);
    expect(given.execution).toMatchObject({ name: 'digest', tick, fencingToken: NOW + 1, lockedAt: new Date(NOW) });
  }),

  adapterCase(
    'row 62: F48 a wrapped method keeps its this, and its execution is the current one',
    async ({ wrap, due, result }) => {
      const job = vi.fn<Job>(({ execution }) => {
        expect(currentExecution()).toBe(execution);
        return result();
      });
      const self = { send: wrap(job) };
      await self.send(...due());

      expect(job.mock.calls[0]?.[0].self).toBe(self);
    },
    ['own call'],
  ),

  adapterCase('row 62: the result of the handler is given back by identity', async ({ wrap, due, item, platform }) => {
    for (const result of platform.results()) {
      for (const job of [() => result, async () => result]) {
        expect(await wrap(job, { tick: 'none' })(...due())).toBe(result);
        expect(await item()).toMatchObject({ state: 'released', result: 'succeeded' });
      }
    }
  }),

  adapterCase(
    'F47 F67 the error of the handler is thrown by identity, its lock is free, and the retry of its tick runs',
    async ({ wrap, due, item, run }) => {
      const jobs = THROWN.flatMap((error): [unknown, Job][] => [
        [error, () => Promise.reject(error)],
        [
          error,
          () => {
            throw error;
          },
        ],
      ]);
      for (const [error, job] of jobs) {
        const [ended] = await Promise.allSettled([(async () => wrap(job)(...due()))()]);
        expect(ended.status).toBe('rejected');
        expect(ended.status === 'rejected' && ended.reason).toBe(error);
        expect(await item()).toMatchObject({ state: 'released', result: 'failed', lockUntil: NOW });
        expect(await item()).not.toHaveProperty('doneTick');
      }
      await run();
    },
  ),

  adapterCase("row 30: with onError: 'hold' a failed run keeps its lock, and its tick open", async (stage) => {
    const { wrap, due, clock, skip, run } = stage;
    const options = { onError: 'hold', lockAtLeastFor: '30s' };
    const failing = wrap(() => Promise.reject(new Error('no database')), options);
    await expect(failing(...due())).rejects.toThrow('no database');
    expect(await skip()).toMatchObject({ reason: 'lock-at-least-for' });
    await clock.advance(30_000);

    await run();
  }),

  adapterCase(
    'row 70: F44 64 calls at once have 64 executions, each current in its own call',
    async ({ wrap, due, clock, platform, result }) => {
      const seen: unknown[] = [];
      const call = wrap(
        async ({ args, execution }) => {
          const tenant = platform.tenantOf(...(args as never[]));
          await pass(clock, 64 - Number(tenant));
          seen.push([tenant, execution.name]);
          if (!platform.lacks['own call']) expect(currentExecution()).toBe(execution);
          return result();
        },
        { name: platform.tenantOf },
      );
      const tenants = Array.from({ length: 64 }, (_, n) => String(n));
      const running = Promise.all(tenants.map((tenant) => call(...due({ tenant }))));
      await clock.advance(64);
      await running;

      expect(seen).toEqual(tenants.toReversed().map((tenant) => [tenant, tenant]));
    },
  ),

  adapterCase('row 13: a name can be made from the arguments', async ({ run, due, platform }) => {
    const name = vi.fn(platform.tenantOf as Called);
    const args = due({ tenant: 'tenant 42' });
    const { execution } = await run({ name }, args);

    expect(execution.name).toBe('tenant 42');
    expect(name).toHaveBeenCalledExactlyOnceWith(...args);
    for (const [place, arg] of args.entries()) expect(name.mock.calls[0]?.[place]).toBe(arg);
  }),

  adapterCase('row 13: F18 a name made from the arguments is refused before anything is written', async (stage) => {
    await expect(stage.skip({ name: () => '' })).rejects.toThrow("name is '': empty; pass a name");
    expect(stage.verbs()).toEqual([]);
  }),

  adapterCase('row 46: observers see the events of a run and of a skip in order', async ({ run, skip, observer }) => {
    await run();
    await skip();

    expect(observer.types().slice(0, 5)).toEqual(['attempted', 'acquired', 'started', 'released', 'finished']);
    expect(observer.types().slice(5)).toEqual(['attempted', 'skipped']);
  }),

  adapterCase('F89 of a call only its ids reach the record, the events and the log', async (stage) => {
    const { run, due, observer, item, logged } = stage;
    vi.stubEnv('DATABASE_PASSWORD', 'hunter2');
    await run({}, due({ secret: 'hunter2' }));

    expect(JSON.stringify([await item(), observer.events, logged.mock.calls])).not.toContain('hunter2');
  }),

  adapterCase(
    'row 9: a wrapped function that calls itself runs under the lock it has',
    async ({ wrap, due, verbs, result }) => {
      const args = due();
      const tokens: number[] = [];
      const call = wrap(async ({ execution, args: own }) => {
        tokens.push(execution.fencingToken);
        if (tokens.length === 1) await call(...own);
        return result();
      });
      await call(...args);

      expect(tokens).toEqual([NOW + 1, NOW + 1]);
      expect(verbs()).toEqual(['acquire', 'release']);
    },
    ['own call'],
  ),

  adapterCase('row 61: switched off, the bare handler runs, also without a scheduled time', async (stage) => {
    const { run, due, verbs } = stage;
    vi.stubEnv('SINGLE_EXECUTION_DISABLED', '1');
    for (const args of [due(), due(), due({ time: undefined })]) {
      expect((await run({}, args)).execution.fencingToken).toBe(0);
    }
    // The handler runs even if no tick is due.
    await run({ tick: 'nearest', schedule: eventBridge('at(2027-01-01T09:00:00)') });

    expect(verbs()).toEqual([]);
  }),

  adapterCase(
    'F42 work in the background holds the lock until it has settled; the platform is handed it too',
    async ({ wrap, due, clock, item, result }) => {
      const handedOver: unknown[] = [];
      const work = pass(clock, 500);
      const job: Job = ({ args }) => {
        inBackground(args, work);
        return result();
      };
      const ended = Promise.resolve(wrap(job)(...due({ waitUntil: (given) => void handedOver.push(given) })));

      await clock.advance(499);
      expect(await item()).toMatchObject({ state: 'held' });
      await clock.advance(1);
      await ended;
      expect(await item()).toMatchObject({ state: 'released', doneTick: NOW, releasedAt: NOW + 500 });
      expect(handedOver[0]).toBe(work);
    },
    ['background'],
  ),

  adapterCase(
    'F42 work in the background that fails has failed the run, and the retry of its tick runs',
    async ({ wrap, due, clock, item, result, run }) => {
      const fail = gate();
      const work = fail.opened.then(() => Promise.reject(new TypeError('no mailer')));
      const job: Job = ({ args }) => {
        inBackground(args, work);
        return result();
      };
      const handedOver: Promise<unknown>[] = [];
      const waitUntil = (work: Promise<unknown>) => void handedOver.push(work);
      const ended = Promise.resolve(wrap(job)(...due({ waitUntil })));
      await clock.advance(0);
      fail.open();
      await Promise.allSettled([ended, ...handedOver]);

      expect(await item()).toMatchObject({ state: 'released', result: 'failed', error: 'TypeError' });
      expect(await item()).not.toHaveProperty('doneTick');
      await run();
    },
    ['background'],
  ),

  adapterCase(
    'F42 F47 work in the background is waited for when the handler throws, and its caller gets that error',
    async ({ wrap, due, clock, item }) => {
      const error = new Error('no database');
      const job: Job = ({ args }) => {
        inBackground(args, pass(clock, 500));
        throw error;
      };
      const caught = Promise.resolve(wrap(job)(...due({ waitUntil: () => {} }))).catch((thrown: unknown) => thrown);
      await clock.advance(499);
      expect(await item()).toMatchObject({ state: 'held' });
      await clock.advance(1);

      expect(await caught).toBe(error);
      expect(await item()).toMatchObject({ state: 'released', result: 'failed' });
    },
    ['background'],
  ),
];

/** Passes work to the `waitUntil` of the context, which is the last argument on its platform. */
const inBackground = (args: readonly unknown[], work: Promise<unknown>) =>
  (args.at(-1) as { waitUntil(work: Promise<unknown>): void }).waitUntil(work);
