import { describe, expect, test } from 'vitest';
import type { ManyOrder, ManySaid } from './many-at-once.js';
import { realProcesses } from './real-processes.js';

/*
 * A process that has sent nothing yet calls a thousand functions at once. On a slow machine the store may be silent for
 * a second; then a call may ask again, but not earlier. If a round takes longer than the budget of a call, some calls
 * may give up. How many requests the other calls sent is then not judged.
 */

const CALLS = 1_000;
/** How many calls ask a store at a time. The other calls wait for their turn. */
const ABREAST = 64;
/** How long a call tries to reach its store, in seconds. */
const BUDGET = 5;

const KINDS = ['dynamodb', 'redis'] as const;
const { on, start } = realProcesses(new URL('./many-at-once.ts', import.meta.url), KINDS);

/**
 * Plays a round in which no call gives up, in three rounds at most. On a machine that is too slow, returns the third
 * round.
 */
async function said(order: Pick<ManyOrder, 'store' | 'locks'>): Promise<ManySaid> {
  let round: ManySaid | undefined;
  for (let n = 0; n < 3 && !(round && (isInTime(round) || givenUp(round) === 0)); n++) {
    const program = start({ ...order, calls: CALLS, rounds: 1 } satisfies ManyOrder);
    round = (await program.until('round')) as unknown as ManySaid;
  }
  return round as ManySaid;
}

const isInTime = ({ seconds }: ManySaid) => seconds < BUDGET;

/** How many calls gave up. None may do so while the store answers in time. */
function givenUp(round: ManySaid): number {
  const { UNAVAILABLE = 0, UNSETTLED = 0, ...others } = round.errors;
  expect(others).toEqual({});
  const count = UNAVAILABLE + UNSETTLED;
  // If all calls sent at once, most would give up on any machine.
  expect(count).toBeLessThan(isInTime(round) ? 1 : CALLS / 2);
  return count;
}

/**
 * Calls take turns as long as the store answers in time. After five seconds without any answer, waiting calls no longer
 * take turns.
 */
function expectOrder(round: ManySaid, asked: number): void {
  expect(round).toMatchObject({ asked, hasty: 0 });
  if (isInTime(round)) expect(round.abreast).toBeLessThanOrEqual(ABREAST);
}

describe.each(KINDS)('row 97: a thousand calls at once in a fresh process, %s', (kind) => {
  test('row 97: for one lock one runs, and the others are skipped after one request each', async () => {
    const round = await said({ store: on(kind).address, locks: 'one' });

    const skipped = CALLS - 1 - givenUp(round);
    expect(round).toMatchObject({ executed: 1, skipped });
    if (skipped === CALLS - 1) expectOrder(round, CALLS + 1);
  });

  test('row 97: with a lock for each call, all run at once and send two requests each', async () => {
    const round = await said({ store: on(kind).address, locks: 'together' });

    const executed = CALLS - givenUp(round);
    expect(round).toMatchObject({ executed, skipped: 0 });
    if (executed === CALLS) expectOrder(round, 2 * CALLS);
  });
});
