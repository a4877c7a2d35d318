import { LockHeldError, type Skipped } from 'single-execution';
import { expect, vi } from 'vitest';
import { NOW } from '../../support/memory-locks.js';
import { type AdapterCase, adapterCase } from './case.js';
import type { Job } from './platform.js';
import type { Stage, StageOptions } from './stage.js';

/** A call of another function with the name of one that runs. */
async function skipped({ hold, wrap, due, clock, result }: Stage, options: StageOptions) {
  await hold();
  await clock.advance(1_000);
  const job = vi.fn<Job>(result);
  const reply = (async () => wrap(job, options)(...due()))();
  await reply.catch(() => {});
  expect(job).not.toHaveBeenCalled();
  return reply;
}

/** What it is told. */
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
  adapterCase('rows 44, 45: F19 F50 a skip is a plain success that names the holder', async (stage) => {
    expect(await stage.skip(skipped(stage, {}))).toEqual(whyOf(stage.platform));
  }),

  adapterCase("row 45: with onSkipped: 'return' too", async (stage) => {
    expect(await stage.skip(skipped(stage, { onSkipped: 'return' }))).toEqual(whyOf(stage.platform));
  }),

  adapterCase("row 45: with onSkipped: 'throw' it is a LockHeldError", async (stage) => {
    const error: unknown = await skipped(stage, { onSkipped: 'throw' }).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(LockHeldError);
    expect(error).toMatchObject({ code: 'LOCK_HELD', lockName: 'digest', skipped: whyOf(stage.platform) });
  }),

  adapterCase('row 45: with a function as onSkipped it is the value of that, by identity', async (stage) => {
    await stage.hold();
    await stage.clock.advance(1_000);
    for (const own of stage.platform.results()) {
      for (const reply of [own, Promise.resolve(own)]) {
        const onSkipped = vi.fn((_: Skipped) => reply);

        expect(await stage.wrap(ranAnyway, { onSkipped })(...stage.due())).toBe(own);
        expect(onSkipped).toHaveBeenCalledExactlyOnceWith(whyOf(stage.platform));
      }
    }
  }),
];

const ranAnyway = () => Promise.reject(new Error('ran'));
