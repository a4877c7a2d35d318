import { CorruptLockError, LockStoreError, type LockStoreErrorCode } from 'single-execution';
import { expect } from 'vitest';
import { pass } from '../../support/clocks.js';
import { MINUTE } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';

const failure = (code: LockStoreErrorCode, retryable = false) =>
  new LockStoreError('acquire failed: hunter2', { code, lockName: 'digest', operation: 'acquire', retryable });

export const storeCases: readonly AdapterCase[] = [
  ...(
    [
      ['is out of reach', failure('UNAVAILABLE', true), 'UNAVAILABLE'],
      ['denies access', failure('ACCESS_DENIED'), 'ACCESS_DENIED'],
      ['has no table', failure('TABLE_NOT_FOUND'), 'TABLE_NOT_FOUND'],
      ['throws what it should not', new Error('hunter2'), 'UNAVAILABLE'],
      ['has a corrupt record', new CorruptLockError('digest', 'lockUntil', 'NaN'), 'CORRUPT_LOCK'],
    ] as const
  ).map(([how, fault, code]) =>
    adapterCase(`row 50: a store that ${how} is an error, told by its code, and nothing runs`, async (stage) => {
      stage.store.next('acquire', fault);

      expect(await stage.refusal()).toBe(code);
      expect(stage.observer.types()).toEqual(['attempted', 'acquire-failed']);
    }),
  ),

  adapterCase('row 50: F11 a grant that comes too late is an error, and nothing runs', async (stage) => {
    const { due, store, clock, refusal } = stage;
    const acquire: typeof store.acquire = async (...args) => {
      const granted = await store.acquire(...args);
      await pass(clock, MINUTE);
      return granted;
    };
    const code = refusal({ store: { ...store, acquire } }, due({ limitMs: MINUTE }));
    await clock.advance(MINUTE);

    expect(await code).toBe('LATE');
  }),

  adapterCase("row 51: with onStoreError: 'skip' a store out of reach is a skip", async (stage) => {
    stage.store.next('acquire', 'lose-request');

    expect(await stage.skip({ onStoreError: 'skip' })).toEqual({
      status: 'skipped',
      name: 'digest',
      reason: 'store-unavailable',
      tick: '2026-01-01T00:00:00.000Z',
    });
  }),

  adapterCase(
    "row 51: with onStoreError: 'run' the handler runs without a lock, and its result or error is given back",
    async (stage) => {
      const { wrap, due, store, result } = stage;
      store.next('acquire', 'lose-request', 'lose-request');
      const [own, error] = [result(), new Error('no database')];

      expect(await wrap(() => own, { onStoreError: 'run' })(...due())).toBe(own);
      await expect(wrap(() => Promise.reject(error), { onStoreError: 'run' })(...due())).rejects.toBe(error);
      expect(stage.clock.pendingTimers()).toBe(0);
    },
  ),

  adapterCase('row 32: a release that fails replaces neither the result nor the error', async (stage) => {
    const { wrap, due, store, result } = stage;
    const [own, error] = [result(), new Error('no database')];
    store.next('release', 'lose-response', 'lose-response');

    expect(await wrap(() => own, { tick: 'none' })(...due())).toBe(own);
    await expect(wrap(() => Promise.reject(error), { tick: 'none' })(...due())).rejects.toBe(error);
    expect(stage.verbs()).toEqual(['acquire', 'release', 'acquire', 'release']);
    expect(stage.clock.pendingTimers()).toBe(0);
  }),
];
