import { describe, expect, test } from 'vitest';
import { CHECKS, type Seen } from '../../demo/checks.js';
import type { Scene, Work } from '../../demo/evening.js';
import { paint } from '../support/play/terminal.js';
import { brokenBy, tellVerdict } from '../support/play/verdict.js';

const TICK = Date.parse('2026-03-01T20:00:00Z');
const work = (token: number, fields: Partial<Work> = {}): Work => ({
  tickMs: TICK + token * 60_000,
  token,
  fromMs: token * 1_000,
  toMs: token * 1_000 + 400,
  isDone: true,
  ...fields,
});
const SCENE: Scene = {
  title: 'a tick comes twice',
  wanted: [/^ran$/, /^skipped: locked$/],
  deliveries: [
    { host: 0, tickMs: TICK, ending: 'ran' },
    { host: 1, tickMs: TICK, ending: 'skipped: locked' },
  ],
};
const RUN = { host: 0, tick: 1, fromMs: 0, toMs: 280 };
/** The same tick has failed once, and is done by its second run. */
const SOUND: Seen = {
  lane: { runs: [RUN], skips: [] },
  scenes: [SCENE],
  works: [work(1), work(2, { isDone: false }), work(3, { tickMs: work(2).tickMs })],
};

const DOCTORED: Readonly<Record<keyof typeof CHECKS, Readonly<Record<string, Partial<Seen>>>>> = {
  'the race: with the wrapper no tick runs twice, and no run beside another': {
    'a tick runs again': { lane: { runs: [RUN, { ...RUN, fromMs: 500, toMs: 600 }], skips: [] } },
    'a run begins beside another': { lane: { runs: [RUN, { ...RUN, tick: 2, fromMs: 100 }], skips: [] } },
  },
  'each situation ends as it should': {
    'both run': { scenes: [{ ...SCENE, deliveries: SCENE.deliveries.map((one) => ({ ...one, ending: 'ran' })) }] },
    'one is missing': { scenes: [{ ...SCENE, deliveries: SCENE.deliveries.slice(0, 1) }] },
  },
  'never two runs at work at once': {
    'a run begins before the one before has ended': { works: [work(1), work(2, { fromMs: 1_300 })] },
    'a run begins beside a long one': { works: [work(1, { toMs: 9_000 }), work(2), work(3)] },
  },
  'each tick is done at most once': {
    'a tick is done again': { works: [work(1), work(2, { tickMs: work(1).tickMs })] },
  },
  'fencing tokens rise from run to run': {
    'a token repeats': { works: [work(1), work(1, { fromMs: 3_000, tickMs: TICK })] },
    'a token falls': { works: [work(2), work(1, { fromMs: 3_000 })] },
  },
};

test('a sound evening passes every check', () => {
  const lines: string[] = [];
  expect(tellVerdict(CHECKS, SOUND, (line) => lines.push(line), paint(false))).toBe(true);
  expect(lines.every((line) => line.startsWith('PASS'))).toBe(true);
});

describe.each(Object.entries(CHECKS))('%s', (promise) => {
  test.each(Object.entries(DOCTORED[promise] ?? {}))('fails if %s', (_, change) => {
    expect(brokenBy(CHECKS, { ...SOUND, ...change })).toContain(promise);
  });
});

test('each check has a history that breaks it, and an evening with nothing to look at does not pass', () => {
  expect(Object.keys(DOCTORED)).toEqual(Object.keys(CHECKS));
  expect(tellVerdict(CHECKS, { ...SOUND, works: [] }, () => undefined, paint(false))).toBe(false);
});
