import {
  acquireLock,
  CorruptLockError,
  type ExecuteOptions,
  executeWithLock,
  LockHeldError,
  LockLostError,
  LockStoreError,
  RunEndedError,
  type Skipped,
} from 'single-execution';
import { memoryStore } from 'single-execution/memory';
import { cron } from 'single-execution/schedule';
import { faultyStore } from 'single-execution/testing';
import { expect, vi } from 'vitest';
import { MINUTE, NOW } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';
import type { Called, Job } from './platform.js';
import type { Stage } from './stage.js';

const HOUR = 60 * MINUTE;
const ofStore = { code: 'UNAVAILABLE', retryable: true } as const;
const skipped: Skipped = { status: 'skipped', name: 'other', reason: 'locked' };

/** One error of each class and of each verb, with the name of another lock and with the name of the run's own lock. */
const errorsOf = (lockName: string): readonly Error[] => [
  ...(['acquire', 'extend', 'mark', 'release'] as const).map(
    (operation) => new LockStoreError(`${operation} failed`, { ...ofStore, lockName, operation }),
  ),
  new CorruptLockError(lockName, 'lockUntil', 'NaN'),
  new LockHeldError({ ...skipped, name: lockName }),
  new LockLostError(lockName, 'its lease is over'),
  ...(['DEADLINE', 'MAX_HOLD', 'SHUTDOWN', 'CATCH_UP'] as const).map(
    (code) => new RunEndedError(lockName, code, 'its time is up'),
  ),
];

/** What a call rejects with. */
async function thrownBy(call: () => unknown): Promise<unknown> {
  const [ended] = await Promise.allSettled([(async () => call())()]);
  if (ended.status === 'fulfilled') throw new Error(`the call answered ${String(ended.value)} instead of rejecting`);
  return ended.reason;
}

/** Runs the tick of now, lets two hours pass, and returns a call that finds one older tick to catch up with. */
async function behind(stage: Stage, job: Job, options: object = {}): Promise<() => unknown> {
  const call = stage.wrap(job, { schedule: cron('0 * * * *'), catchUp: { mode: 'all' }, ...options });
  await call(...stage.due());
  await stage.clock.advance(2 * HOUR);
  return () => call(...stage.due({ time: NOW + 2 * HOUR }));
}

/** Functions that take another lock and fail as it fails, each by the verb of that lock. */
const failingInner = ({ clock }: Stage): readonly (() => Promise<unknown>)[] => {
  const locks = memoryStore();
  const store = faultyStore(locks);
  const other: ExecuteOptions = { name: 'other', store, lockAtMostFor: '1m', clock, observers: [] };
  const work = vi.fn();
  return [
    () => {
      store.next('acquire', 'lose-request');
      return executeWithLock(work, other);
    },
    () => {
      store.next('acquire', new CorruptLockError('other', 'lockUntil', 'NaN'));
      return acquireLock(other);
    },
    async () => {
      store.next('extend', 'lose-request');
      await executeWithLock(({ extend }) => extend('2m'), other);
    },
    async () => {
      const late = { ...other, schedule: cron('0 * * * *'), catchUp: { mode: 'all' } } as const;
      await executeWithLock(work, { ...late, name: 'late', tick: NOW - 3 * HOUR });
      store.next('mark', 'lose-request');
      await executeWithLock(work, { ...late, name: 'late', tick: NOW });
    },
    async () => {
      const taken = await acquireLock({ ...other, name: 'taken' });
      await acquireLock({ ...other, name: 'taken' }).finally(() => taken.release());
    },
    () => executeWithLock(work, { ...other, signal: AbortSignal.abort() }),
  ];
};

export const innerLockCases: readonly AdapterCase[] = [
  ...['other', 'digest'].map((lockName) =>
    adapterCase(
      `F137 F47 an error of this library that the handler throws is its own, by identity, for the lock "${lockName}"`,
      async ({ wrap, due, item, run }) => {
        for (const error of errorsOf(lockName)) {
          expect(await thrownBy(() => wrap(() => Promise.reject(error))(...due()))).toBe(error);
          expect(await item()).toMatchObject({ state: 'released', result: 'failed', error: error.name });
          expect(await item()).not.toHaveProperty('doneTick');
        }
        await run();
      },
    ),
  ),

  adapterCase(
    'F137 a handler that takes another lock rejects as that lock does, whichever verb fails',
    async (stage) => {
      for (const inner of failingInner(stage)) {
        let own: unknown;
        const job: Job = () =>
          inner().catch((error: unknown) => {
            own = error;
            throw error;
          });

        expect(await thrownBy(() => stage.wrap(job, { tick: 'none' })(...stage.due()))).toBe(own);
        expect(own).toBeInstanceOf(Error);
        expect(await stage.item()).toMatchObject({ state: 'released', result: 'failed' });
      }
    },
  ),

  adapterCase(
    'F137 nor is it the run’s own error while the run catches up with an older tick',
    async (stage) => {
      for (const error of errorsOf('other')) {
        const job: Job = ({ execution }) => (execution.isCatchUp ? Promise.reject(error) : stage.result());

        expect(
          await thrownBy(
            await behind(stage, job, { name: `late ${error.name}${String(Reflect.get(error, 'operation'))}` }),
          ),
        ).toBe(error);
      }
    },
    ['catch-up'],
  ),

  adapterCase(
    'F137 the mark of the run’s own lock fails: that is the store’s error, although the handler was called',
    async (stage) => {
      const call = await behind(stage, stage.result);
      stage.store.next('mark', 'lose-request');

      const { refusalOf } = stage.platform;
      const told = refusalOf ? refusalOf(await call()) : Reflect.get((await thrownBy(call)) as Error, 'code');
      expect(await told).toBe('UNAVAILABLE');
    },
    ['catch-up'],
  ),

  adapterCase(
    'F137 work in the background that takes another lock fails the run with that lock’s error',
    async (stage) => {
      for (const error of errorsOf('other')) {
        const handedOver: Promise<unknown>[] = [];
        const job: Job = ({ args }) => {
          (args.at(-1) as { waitUntil(work: Promise<unknown>): void }).waitUntil(Promise.reject(error));
          throw error;
        };
        const waitUntil = (work: Promise<unknown>) => void handedOver.push(work.catch(() => undefined));

        expect(await thrownBy(() => stage.wrap(job, { tick: 'none' })(...stage.due({ waitUntil })))).toBe(error);
        await Promise.all(handedOver);
      }
    },
    ['background'],
  ),

  adapterCase(
    'F137 a call of another wrapped function: its refusal and its skip are values of the handler',
    async (stage) => {
      const inner = stage.wrap(stage.result, { name: 'inner', onSkipped: 'throw' }) as Called;
      const taken = await acquireLock({ name: 'inner', store: stage.store, lockAtMostFor: '1m', clock: stage.clock });
      const caught: unknown[] = [];
      const job: Job = async ({ args }) => {
        try {
          return await inner(...args);
        } catch (error) {
          caught.push(error);
          throw error;
        }
      };

      const error = await thrownBy(() => stage.wrap(job)(...stage.due()));
      expect(error).toBe(caught[0]);
      expect(error).toBeInstanceOf(LockHeldError);
      await taken.release();
    },
  ),
];
