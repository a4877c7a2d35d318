import { describe, expect, test } from 'vitest';
import type { History, Invocation, Work } from '../../demo/history.js';
import { everySituation, INVARIANTS } from '../../demo/invariants.js';
import { paint } from '../support/play/terminal.js';
import { brokenBy, tellVerdict } from '../support/play/verdict.js';

const TICK = Date.parse('2026-03-01T20:00:00Z');
const tick = (minute: number) => TICK + minute * 60_000;
const at = (second: number) => ({ fromMs: second * 1_000, toMs: second * 1_000 + 100 });

const work = (id: number, fields: Partial<Work> = {}): Work => ({
  fromMs: id * 1_000 + 100,
  toMs: id * 1_000 + 400,
  token: 100 + id,
  doneTicksMs: [tick(id)],
  ...fields,
});
/** One that did nothing to the world. */
const idle = (id: number, ending: Invocation['ending'], fields: Partial<Invocation> = {}): Invocation => ({
  id,
  job: 'report',
  tickMark: 'success',
  tickMs: tick(id),
  requestId: `request-${id}`,
  fromMs: id * 1_000,
  toMs: id * 1_000 + 500,
  lockOverMs: id * 1_000 + 6_000,
  ending,
  ...fields,
});
const ran = (id: number, fields: Partial<Invocation> = {}): Invocation => ({
  ...idle(id, 'ran'),
  work: work(id, { doneTicksMs: [fields.tickMs ?? tick(id)] }),
  ...fields,
});
const broke = (id: number, ending: 'failed' | 'killed', fields: Partial<Invocation> = {}) =>
  ran(id, { ending, work: work(id, { doneTicksMs: [] }), ...fields });
const lockedBy = (request: number) => ({ lockedBy: `report 7 eu request-${request}` });

const SYNC = { job: 'sync', tickMark: 'start' } as const;

/** An evening as it should be, with one of everything. */
const SOUND: History = {
  invocations: [
    ran(1),
    ran(2),
    idle(3, 'skipped locked', { ...at(2.1), ...lockedBy(2) }),
    idle(4, 'skipped already-executed', { tickMs: tick(2) }),
    broke(5, 'failed'),
    ran(6, { tickMs: tick(5) }),
    broke(7, 'killed'),
    idle(8, 'skipped locked', lockedBy(7)),
    ran(9, { tickMs: tick(7), requestId: 'request-7' }),
    idle(10, 'skipped stale-tick', { tickMs: tick(4) }),
    idle(12, 'skipped paused'),
    ran(14),
    broke(15, 'failed', SYNC),
    idle(16, 'skipped already-executed', { ...SYNC, tickMs: tick(15) }),
    // Its acquire was granted, and the answer never came.
    idle(20, 'failed', SYNC),
    idle(21, 'skipped locked', { ...SYNC, ...lockedBy(20) }),
  ],
  situations: ['crash', 'on time'],
  lostAnswers: [1],
  leftOut: [],
  pauses: [{ job: 'report', fromMs: 11_500, toMs: 13_500 }],
  crashes: [{ job: 'report', token: 107, recorded: true, told: true }],
  facts: [{ subject: 'report of 03-01', expected: '7 orders', found: '7 orders' }],
};

test('a sound evening breaks no invariant, and gives each of them something to look at', () => {
  expect(brokenBy(INVARIANTS, SOUND)).toEqual([]);
  for (const [promise, check] of Object.entries(INVARIANTS)) expect(check(SOUND).cases, promise).toBeGreaterThan(0);
});

/** The sound evening with one invocation changed, another added, or one left out. */
const but = (id: number, fields: Partial<Invocation>): History => ({
  ...SOUND,
  invocations: SOUND.invocations.map((one) => (one.id === id ? { ...one, ...fields } : one)),
});
const and = (added: Invocation): History => ({ ...SOUND, invocations: [...SOUND.invocations, added] });
const without = (id: number): History => ({ ...SOUND, invocations: SOUND.invocations.filter((one) => one.id !== id) });

/** Histories that break an invariant, each by what is wrong with it. */
const DOCTORED: Readonly<Record<string, Readonly<Record<string, History>>>> = {
  'never two at work at once under one name': {
    'two runs overlap': but(2, { work: work(2, { fromMs: 1_300 }) }),
    'a run begins while a killed one had not died yet': but(7, { work: work(7, { toMs: 9_200 }) }),
  },
  'each tick done at most once': {
    'a tick is done twice, as the world saw it': and(
      broke(17, 'failed', { work: work(17, { doneTicksMs: [tick(14)] }) }),
    ),
    'a tick runs twice, as the workers saw it': but(4, { ending: 'ran' }),
  },
  "with tickMark 'start', each tick begun at most once": {
    'a tick is begun again after it failed': but(16, { work: work(16, { doneTicksMs: [] }) }),
  },
  'every tick done, or reported as missed, failed, paused or stale': {
    'a failed tick is never tried again': without(6),
    'a tick that nobody did is called executed': and(idle(18, 'skipped already-executed')),
    'a tick that was left out is not made up for': { ...SOUND, leftOut: [{ job: 'report', tickMs: tick(0) }] },
  },
  'a run does its work, a skip does none': {
    'a run does nothing': but(14, { work: work(14, { doneTicksMs: [] }) }),
    'a skip works': but(10, { work: work(10, { doneTicksMs: [], token: 109.5 }) }),
  },
  'fencing tokens rise strictly from grant to grant': {
    'a token falls': but(6, { work: work(6, { token: 104 }) }),
    'a token repeats': but(2, { work: work(2, { token: 101 }) }),
  },
  'no older tick done after a newer one, unless it was begun before': {
    'yesterday is done after today': and(ran(19, { tickMs: tick(10) })),
  },
  "none skipped as 'locked' but for a holder that is there": {
    'a holder that is not there': but(3, lockedBy(99)),
    'a holder that had ended': but(3, at(2.9)),
    'a holder that was dead long since': but(8, at(14)),
  },
  'a crash is recorded, and told to the next run': {
    'a crash left no trace': { ...SOUND, crashes: [{ job: 'report', token: 107, recorded: false, told: true }] },
    'the run after was not told': { ...SOUND, crashes: [{ job: 'report', token: 107, recorded: true, told: false }] },
  },
  'a lost answer locks nobody out: its run still ran': {
    'its winner was skipped': but(1, { ending: 'skipped locked', ...lockedBy(1) }),
  },
  'nothing runs while paused': {
    'a run begins in a pause': but(14, { work: work(14, { fromMs: 12_000 }) }),
  },
  'what was to be written is there, and right': {
    'the table holds something else': {
      ...SOUND,
      facts: [{ subject: 'report of 03-01', expected: '7 orders', found: 'nothing' }],
    },
  },
};

describe.each(Object.entries(DOCTORED))('%s is broken by a doctored evening', (promise, histories) => {
  test.each(Object.entries(histories))('%s', (_, history) => {
    expect(brokenBy(INVARIANTS, history)).toContain(promise);
  });
});

test('each invariant has such an evening', () => {
  expect(Object.keys(DOCTORED).sort()).toEqual(Object.keys(INVARIANTS).sort());
});

describe('the verdict', () => {
  const verdict = (history: History) => {
    const lines: string[] = [];
    const invariants = { ...INVARIANTS, ...everySituation(['crash']) };
    const held = tellVerdict(invariants, history, (line) => lines.push(line), paint(false));
    return { held, lines };
  };

  test('passes a sound evening', () => {
    const { held, lines } = verdict(SOUND);

    expect(held).toBe(true);
    expect(lines.every((line) => line.startsWith('PASS'))).toBe(true);
  });

  test('names each breach and fails', () => {
    const { held, lines } = verdict(but(2, { work: work(2, { fromMs: 1_300 }) }));

    expect(held).toBe(false);
    expect(lines).toContain('      report: #2 began while #1 was at work');
  });

  test('fails where a situation was left out, or an invariant had nothing to look at', () => {
    expect(verdict({ ...SOUND, situations: ['on time'] }).held).toBe(false);
    expect(verdict({ ...SOUND, crashes: [] }).held).toBe(false);
  });
});
