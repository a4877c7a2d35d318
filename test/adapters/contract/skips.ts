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

  ...(['a value', 'a promise'] as const).map((kind) =>
    adapterCase(`row 45: with a function as onSkipped it is the value of that, by identity: ${kind}`, async (stage) => {
      const own = stage.result();
      const onSkipped = vi.fn((_: Skipped) => (kind === 'a promise' ? Promise.resolve(own) : own));

      expect(await skipped(stage, { onSkipped })).toBe(own);
      expect(onSkipped).toHaveBeenCalledExactlyOnceWith(whyOf(stage.platform));
    }),
  ),
];
