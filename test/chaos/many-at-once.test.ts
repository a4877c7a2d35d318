import { describe, expect, test } from 'vitest';
import { KINDS } from '../support/real-stores.js';
import type { ManyOrder, ManySaid } from './many-at-once.js';
import { realProcesses } from './real-processes.js';

/*
 * A process that has sent nothing yet calls a thousand functions at once.
 */

const CALLS = 1_000;

const { stores, start } = realProcesses(new URL('./many-at-once.ts', import.meta.url));

async function said(order: Pick<ManyOrder, 'store' | 'locks'>): Promise<ManySaid> {
  const program = start({ ...order, calls: CALLS, rounds: 1 } satisfies ManyOrder);
  return (await program.until('round')) as unknown as ManySaid;
}

describe.each(KINDS)('row 97: a thousand calls at once in a fresh process, %s', (kind) => {
  test('row 97: for one lock one runs and the others skip, after one request each', async () => {
    const { errors, executed, skipped, requests } = await said({ store: stores().addresses[kind], locks: 'one' });

    expect({ errors, executed, skipped }).toEqual({ errors: {}, executed: 1, skipped: CALLS - 1 });
    expect(requests).toBeLessThanOrEqual((CALLS + 1) * 1.1);
  });

  test('row 97: for a lock each all run and end together, after two requests each', async () => {
    const { errors, executed, requests } = await said({ store: stores().addresses[kind], locks: 'together' });

    expect({ errors, executed }).toEqual({ errors: {}, executed: CALLS });
    expect(requests).toBeLessThanOrEqual(CALLS * 2 * 1.1);
  });
});
