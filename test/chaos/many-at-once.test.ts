import { describe, expect, test } from 'vitest';
import { KINDS } from '../support/real-stores.js';
import type { ManyOrder, ManySaid } from './many-at-once.js';
import { realProcesses } from './real-processes.js';

/*
 * A process that has sent nothing yet calls a thousand functions at once. On a slow machine the store may be silent for
 * a second, after which a call may ask again; it must not do so earlier.
 */

const CALLS = 1_000;
/** So many calls ask a store at a time; the others wait for their turn. */
const ABREAST = 64;

const { stores, start } = realProcesses(new URL('./many-at-once.ts', import.meta.url));

async function said(order: Pick<ManyOrder, 'store' | 'locks'>): Promise<ManySaid> {
  const program = start({ ...order, calls: CALLS, rounds: 1 } satisfies ManyOrder);
  return (await program.until('round')) as unknown as ManySaid;
}

describe.each(KINDS)('row 97: a thousand calls at once in a fresh process, %s', (kind) => {
  test('row 97: for one lock one runs and the others skip, after one request each', async () => {
    const round = await said({ store: stores().addresses[kind], locks: 'one' });

    expect(round).toMatchObject({ errors: {}, executed: 1, skipped: CALLS - 1, asked: CALLS + 1, hasty: 0 });
    expect(round.abreast).toBeLessThanOrEqual(ABREAST);
  });

  test('row 97: for a lock each all run and end together, after two requests each', async () => {
    const round = await said({ store: stores().addresses[kind], locks: 'together' });

    expect(round).toMatchObject({ errors: {}, executed: CALLS, skipped: 0, asked: CALLS * 2, hasty: 0 });
    expect(round.abreast).toBeLessThanOrEqual(ABREAST);
  });
});
