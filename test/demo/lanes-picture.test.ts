import { expect, test } from 'vitest';
import { doubleRuns, type Lane } from '../../demo/lanes.js';
import { lanesPicture } from '../../demo/lanes-picture.js';
import { paint } from '../support/play/terminal.js';

const run = (host: number, tick: number, fromMs: number, toMs: number) => ({ host, tick, fromMs, toMs });
const FIRST = run(0, 1, 0, 280);
/** The same tick while the first run is at work, and a newer one later. */
const BESIDE = run(1, 1, 70, 350);
const NEXT = run(0, 2, 700, 1_400);
/** A tick while the one before is at work; and the first tick once more. */
const OVERLAPPING = run(1, 3, 1_050, 1_750);
const AGAIN = run(1, 1, 2_100, 2_380);

const without: Lane = { runs: [FIRST, BESIDE, NEXT, OVERLAPPING, AGAIN], skips: [] };
const within: Lane = {
  runs: [FIRST, NEXT],
  skips: [
    { host: 1, atMs: 75, reason: 'locked' },
    { host: 1, atMs: 1_060, reason: 'locked' },
    { host: 1, atMs: 2_110, reason: 'already-executed' },
  ],
};

test('runs of a tick that had run, and runs beside another, are counted', () => {
  expect(doubleRuns(without)).toEqual({ again: [BESIDE, AGAIN], beside: [BESIDE, OVERLAPPING] });
  expect(doubleRuns(within)).toEqual({ again: [], beside: [] });
});

test('both lanes are drawn and counted', () => {
  expect(lanesPicture({ without, within }, paint(false)).slice(1, 9)).toEqual([
    'The same 5 deliveries of 3 ticks go to two hosts, without and with the wrapper:',
    '',
    '  without  host 1  ████      ██████████',
    '           host 2   ████          ██████████     ████',
    '  with     host 1  ████      ██████████',
    '           host 2   ·             ·              ·',
    '',
    '  without  5 runs: 2 ticks ran twice, 2 runs began beside another',
  ]);
});

test('a run that should not have been is painted as bad', () => {
  const line = lanesPicture({ without, within }, paint(true)).find((text) => text.includes('without  host 1'));
  expect(line).toContain('\u001B[32m█');
  expect(line).not.toContain('\u001B[31m');
});
