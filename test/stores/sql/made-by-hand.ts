import type { LockAdminStore, LockStore, LockStoreError } from 'single-execution';
import { expect } from 'vitest';
import { call, claim, done, grant } from '../../support/one-run.js';
import { failureOf } from '../../support/settled.js';

const NAME = 'Digest 0123';

/**
 * Expects a store over a table that somebody made by hand to keep a lock, or to refuse the table.
 *
 * @param code the error of a first run; undefined if the table works
 */
export async function expectOfTable(
  store: LockStore & LockAdminStore,
  code: LockStoreError['code'] | undefined,
): Promise<void> {
  const asked = claim({ name: NAME });
  if (code !== undefined) {
    const message = expect.stringMatching(/create a table only for the store|turn it off for this table/);
    expect(await failureOf(store.acquire(asked, call()))).toMatchObject({ code, retryable: false, message });
    return;
  }
  const lease = await grant(store, asked);
  expect(await store.acquire(claim({ name: NAME }), call())).toMatchObject({ reason: 'locked' });
  expect(await store.extend(lease, { leaseMs: 60_000 }, call())).toMatchObject({ status: 'extended' });
  expect(await store.release(lease, done, call())).toBe('released');
  expect((await store.list(call())).map(({ name }) => name)).toEqual([NAME]);
}
