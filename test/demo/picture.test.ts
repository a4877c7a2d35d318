import { expect, test } from 'vitest';
import { historyOf } from '../../demo/hosts.js';
import { drawn, racePicture } from '../../demo/picture.js';
import type { Run } from '../support/history/history.js';
import { paint } from '../support/play/terminal.js';

const run = (token: number, host: string, tick: number, fromMs: number, toMs: number): Run => ({
  attempt: String(token),
  host,
  tick,
  token,
  began: [fromMs, fromMs],
  ended: [toMs, toMs],
  end: 'returned',
  isRecorded: true,
});
const skip = (atMs: number, reason: 'locked' | 'already-executed') => {
  return { attempt: String(atMs), host: 'host 2', at: [atMs, atMs], reason, grantOverMs: atMs } as const;
};
const FIRST = run(1, 'host 1', 1, 0, 280);
const NEXT = run(3, 'host 1', 2, 700, 1_400);
/** The first tick beside its run, a tick while the one before is at work, and the first tick once more. */
const BAD = [run(2, 'host 2', 1, 70, 350), run(4, 'host 2', 3, 1_050, 1_750), run(5, 'host 2', 1, 2_100, 2_380)];

const without = historyOf({ grants: [], runs: [FIRST, NEXT, ...BAD], skips: [] });
const skips = [skip(75, 'locked'), skip(1_060, 'locked'), skip(2_110, 'already-executed')];
const within = historyOf({ grants: [], runs: [FIRST, NEXT], skips });

test('both lanes are drawn, and their double runs and skips counted', () => {
  expect(racePicture({ startMs: 0, without, within }, paint(false)).slice(1, 10)).toEqual([
    'The same 5 deliveries of 3 ticks go to two hosts, without and with the wrapper:',
    '',
    '  without  host 1  ████      ██████████',
    '           host 2   ████          ██████████     ████',
    '  with     host 1  ████      ██████████',
    '           host 2   ·             ·              ·',
    '',
    '  without  5 runs: 2 ticks ran twice, 2 runs began beside another',
    '  with     2 runs: 0 ticks ran twice, 0 runs began beside another; 3 skipped (2 locked, 1 already-executed)',
  ]);
});

test('a run that should not have been is painted as bad, and one that fails is drawn in another way', () => {
  const failed = historyOf({ grants: [], runs: [{ ...FIRST, end: 'threw', isRecorded: false }], skips: [] });

  const [, bare = ''] = drawn(without, { startMs: 0, columnMs: 70 }, paint(true));
  expect(bare).toContain('\u001B[31m█');
  expect(bare).not.toContain('\u001B[32m');
  expect(drawn(failed, { startMs: 0, columnMs: 70 }, paint(false))).toEqual(['host 1  ▒▒▒▒', 'host 2']);
});
