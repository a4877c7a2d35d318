import { LockHeldError, type Skipped } from 'single-execution';
import { expect, vi } from 'vitest';
import { NOW } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';
import type { Stage } from './stage.js';

/** Starts a run that holds the lock, as if in another function, and lets a second pass. */
async function hold({ hold: start, clock }: Stage): Promise<void> {
  await start();
  await clock.advance(1_000);
}

/** The skip that the caller gets. */
const whyOf = ({ holder }: Stage['platform']) => ({
  status: 'skipped',
  name: 'digest',
  reason: 'locked',
  tick: '2026-01-01T00:00:00.000Z',
  holder: {
    lockedBy: expect.stringMatching(holder),
    lockedAt: '2026-01-01T00:00:00.000Z',
    lockUntil: '2026-01-01T00:01:00.000Z',
    fencingToken: NOW + 1,
  },
});

export const skipCases: readonly AdapterCase[] = [
  ...[{}, { onSkipped: 'return' }].map((options) =>
    adapterCase(
      `rows 44, 45: F19 F50 a skip is a plain success that names the holder, with ${JSON.stringify(options)}`,
      async (stage) => {
        await hold(stage);

        expect(await stage.skip(options)).toEqual(whyOf(stage.platform));
      },
    ),
  ),

  adapterCase("row 45: with onSkipped: 'throw' it is a LockHeldError", async (stage) => {
    await hold(stage);
    const error: unknown = await stage.skip({ onSkipped: 'throw' }).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(LockHeldError);
    expect(error).toMatchObject({ code: 'LOCK_HELD', lockName: 'digest', skipped: whyOf(stage.platform) });
  }),

  adapterCase('row 45: with a function as onSkipped it is the value of that, by identity', async (stage) => {
    await hold(stage);
    for (const own of stage.platform.results()) {
      for (const reply of [own, Promise.resolve(own)]) {
        const onSkipped = vi.fn((_: Skipped) => reply);

        expect(await stage.wrap(stage.result, { onSkipped })(...stage.due())).toBe(own);
        expect(onSkipped).toHaveBeenCalledExactlyOnceWith(whyOf(stage.platform));
      }
    }
  }),
];
