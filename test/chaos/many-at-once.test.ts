import { describe, expect, test } from 'vitest';
import { kindsOfRun } from '../support/backends/stage.js';
import { backendOf, type Kind } from '../support/backends.js';
import type { ManyOrder, ManySaid } from './many-at-once.js';
import { realProcesses } from './real-processes.js';

/*
 * A process that has sent nothing yet calls a thousand functions at once. On a slow machine the store may be silent for
 * a second; then a call may ask again, but not earlier. A call may give up, but not before it has asked for its whole
 * budget. How many requests the other calls then sent is not judged.
 */

const CALLS = 1_000;
/** How many calls ask a store at a time. The other calls wait for their turn. */
const ABREAST = 64;
/** Waiting calls no longer take turns once the store has answered no call for this long, in seconds. */
const SILENCE = 4;

/** A thousand calls on a busy machine. */
const PATIENCE_MS = 240_000;

const KINDS = kindsOfRun('processes');
const { on, start } = realProcesses(new URL('./many-at-once.ts', import.meta.url), KINDS);

/**
 * Plays a round in which no call gives up or asks again within a second, in six rounds at most. On a machine that is too
 * slow for that, returns the sixth round.
 */
async function said(kind: Kind, locks: ManyOrder['locks']): Promise<ManySaid> {
  const requests = requestsOf(kind, locks);
  let round: ManySaid | undefined;
  for (let n = 0; n < 6 && !(round && givenUp(round) === 0 && round.hasty === 0); n++) {
    const program = start({ store: on(kind).address, locks, calls: CALLS, rounds: 1, requests } satisfies ManyOrder);
    round = (await program.until('round')) as unknown as ManySaid;
  }
  const last = round as ManySaid;
  // None gave up because it had waited for the others.
  expect(last).toMatchObject({ impatient: 0 });
  if (last.silent < SILENCE) expect(last.abreast).toBeLessThanOrEqual(ABREAST);
  return last;
}

/**
 * How many requests an acquire or a release needs at most. On some stores it is a read and a write, and an acquire that
 * another one overtakes between the two reads again. The first acquire of a name may need more.
 */
function requestsOf(kind: Kind, locks: ManyOrder['locks']): number {
  const { run, skip, first = run } = backendOf(kind).requests;
  const each = first - run / 2;
  return locks === 'one' && run > 2 ? each + skip : each;
}

/** How many calls could not reach the store in their time. */
function givenUp({ errors: { UNAVAILABLE = 0, UNSETTLED = 0, ...others } }: ManySaid): number {
  expect(others).toEqual({});
  return UNAVAILABLE + UNSETTLED;
}

describe.each(KINDS)('row 97: a thousand calls at once in a fresh process, %s', { timeout: PATIENCE_MS }, (kind) => {
  test('row 97: for one lock one runs, and the others are skipped after the requests that they need', async () => {
    const round = await said(kind, 'one');

    const answered = CALLS - givenUp(round);
    expect(round.executed + round.skipped).toBe(answered);
    expect(round.executed).toBeLessThanOrEqual(1);
    if (answered === CALLS) expect(round).toMatchObject({ executed: 1, asked: CALLS + 1, hasty: 0 });
  });

  test('row 97: with a lock for each call, all run at once and send the requests that they need', async () => {
    const round = await said(kind, 'together');

    const executed = CALLS - givenUp(round);
    expect(round).toMatchObject({ executed, skipped: 0 });
    if (executed === CALLS) expect(round).toMatchObject({ asked: 2 * CALLS, hasty: 0 });
  });
});
