import { describe, expect, test } from 'vitest';
import type { History, Invocation, Work } from '../../demo/history.js';
import { everySituation, INVARIANTS } from '../../demo/invariants.js';
import { paint } from '../support/play/terminal.js';
import { tellVerdict } from '../support/play/verdict.js';

const TICK = Date.parse('2026-03-01T20:00:00Z');
const tick = (minute: number) => TICK + minute * 60_000;

const invocation = (id: number, fields: Partial<Invocation> = {}): Invocation => ({
  id,
  job: 'report',
  tickMark: 'success',
  tickMs: tick(id),
  requestId: `request-${id}`,
  fromMs: id * 1_000,
  toMs: id * 1_000 + 500,
  lockOverMs: id * 1_000 + 6_000,
  ending: { kind: 'ran' },
  ...fields,
});
const work = (id: number, fields: Partial<Work> = {}): Work => ({
  invocation: id,
  job: 'report',
  fromMs: id * 1_000 + 100,
  toMs: id * 1_000 + 400,
  token: 100 + id,
  doneTicksMs: [tick(id)],
  ...fields,
});
const skipped = (reason: string, lockedBy?: string): Invocation['ending'] => ({
  kind: 'skipped',
  reason,
  ...(lockedBy !== undefined && { lockedBy }),
});

const SYNC = { job: 'sync', tickMark: 'start' } as const;

/** An evening as it should be, with one of everything. */
const SOUND: History = {
  invocations: [
    invocation(1),
    invocation(2),
    invocation(3, { fromMs: 2_100, toMs: 2_200, ending: skipped('locked', 'report 7 eu request-2') }),
    invocation(4, { tickMs: tick(2), ending: skipped('already-executed') }),
    invocation(5, { ending: { kind: 'failed', error: 'boom' } }),
    invocation(6, { tickMs: tick(5) }),
    invocation(7, { ending: { kind: 'killed' } }),
    invocation(8, { ending: skipped('locked', 'report 7 eu request-7') }),
    invocation(9, { tickMs: tick(7), requestId: 'request-7' }),
    invocation(10, { tickMs: tick(4), ending: skipped('stale-tick') }),
    invocation(12, { ending: skipped('paused') }),
    invocation(14),
    invocation(15, { ...SYNC, ending: { kind: 'failed', error: 'HTTP 500' } }),
    invocation(16, { ...SYNC, tickMs: tick(15), ending: skipped('already-executed') }),
    // Its acquire was granted, and the answer never came.
    invocation(20, { ...SYNC, ending: { kind: 'failed', error: 'did not answer' } }),
    invocation(21, { ...SYNC, ending: skipped('locked', 'sync 7 eu request-20') }),
  ],
  works: [
    work(1),
    work(2),
    work(5, { doneTicksMs: [] }),
    work(6, { doneTicksMs: [tick(5)] }),
    work(7, { doneTicksMs: [] }),
    work(9, { doneTicksMs: [tick(7)] }),
    work(14),
    work(15, { job: 'sync', doneTicksMs: [] }),
  ],
  incidents: [
    { kind: 'answer-lost', job: 'report', invocation: 1 },
    { kind: 'paused', job: 'report', fromMs: 11_500, toMs: 13_500 },
  ],
  crashes: [{ job: 'report', token: 107, recorded: true, told: true }],
  facts: [{ subject: 'report of 03-01', expected: '7 orders', found: '7 orders' }],
  situations: ['crash', 'on time'],
};

const brokenBy = (history: History) =>
  INVARIANTS.filter(({ check }) => check(history).breaches.length > 0).map(({ promise }) => promise);

test('a sound evening breaks no invariant, and gives each of them something to look at', () => {
  expect(brokenBy(SOUND)).toEqual([]);
  for (const { promise, check } of INVARIANTS) expect(check(SOUND).cases, promise).toBeGreaterThan(0);
});

const replaced = (id: number, fields: Partial<Invocation>) =>
  SOUND.invocations.map((one) => (one.id === id ? { ...one, ...fields } : one));
const reworked = (id: number, fields: Partial<Work>) =>
  SOUND.works.map((one) => (one.invocation === id ? { ...one, ...fields } : one));

describe('a doctored evening breaks the invariant that it wrongs', () => {
  test.each<[string, Partial<History>, string]>([
    ['two runs overlap', { works: reworked(2, { fromMs: 1_300 }) }, 'never two at work at once under one name'],
    [
      'a run begins while a killed one had not died yet',
      { works: reworked(7, { toMs: 9_200 }) },
      'never two at work at once under one name',
    ],
    [
      'a tick is done twice, as the world saw it',
      { works: [...SOUND.works, work(17, { doneTicksMs: [tick(14)] })] },
      'each tick done at most once',
    ],
    [
      'a tick runs twice, as the workers saw it',
      { invocations: replaced(4, { ending: { kind: 'ran' } }) },
      'each tick done at most once',
    ],
    [
      'a tick is begun again after it failed, with at most once',
      { works: [...SOUND.works, work(16, { job: 'sync', doneTicksMs: [] })] },
      "with tickMark 'start', each tick begun at most once",
    ],
    [
      'a failed tick is never tried again',
      {
        invocations: SOUND.invocations.filter(({ id }) => id !== 6),
        works: SOUND.works.filter((w) => w.invocation !== 6),
      },
      'every tick done, or reported as missed, failed, paused or stale',
    ],
    [
      'a tick that nobody did is called executed',
      { invocations: [...SOUND.invocations, invocation(18, { ending: skipped('already-executed') })] },
      'every tick done, or reported as missed, failed, paused or stale',
    ],
    [
      'a tick that was left out is not made up for',
      { incidents: [...SOUND.incidents, { kind: 'left-out', job: 'report', tickMs: tick(0) }] },
      'every tick done, or reported as missed, failed, paused or stale',
    ],
    ['a run does nothing', { works: reworked(14, { doneTicksMs: [] }) }, 'a run does its work, a skip does none'],
    [
      'a skip works',
      { works: [...SOUND.works, work(10, { doneTicksMs: [], token: 109.5 })] },
      'a run does its work, a skip does none',
    ],
    ['a token falls', { works: reworked(6, { token: 104 }) }, 'fencing tokens rise strictly from grant to grant'],
    ['a token repeats', { works: reworked(2, { token: 101 }) }, 'fencing tokens rise strictly from grant to grant'],
    [
      'yesterday is done after today',
      { works: [...SOUND.works, work(19, { doneTicksMs: [tick(10)] })] },
      'no older tick done after a newer one',
    ],
    [
      'a skip for a holder that is not there',
      { invocations: replaced(3, { ending: skipped('locked', 'report 7 eu request-99') }) },
      "none skipped as 'locked' but for a holder that is there",
    ],
    [
      'a skip for a holder that had ended',
      { invocations: replaced(3, { fromMs: 2_900, toMs: 2_950 }) },
      "none skipped as 'locked' but for a holder that is there",
    ],
    [
      'a skip for a holder that was dead long since',
      { invocations: replaced(8, { fromMs: 14_000, toMs: 14_100 }) },
      "none skipped as 'locked' but for a holder that is there",
    ],
    [
      'a crash left no trace',
      { crashes: [{ job: 'report', token: 107, recorded: false, told: true }] },
      'a crash is recorded, and told to the next run',
    ],
    [
      'the run after a crash was not told',
      { crashes: [{ job: 'report', token: 107, recorded: true, told: false }] },
      'a crash is recorded, and told to the next run',
    ],
    [
      'the winner whose answer was lost was skipped',
      { invocations: replaced(1, { ending: skipped('locked', 'report 7 eu request-1') }) },
      'a lost answer locks nobody out: its run still ran',
    ],
    ['a run begins in a pause', { works: reworked(14, { fromMs: 12_000 }) }, 'nothing runs while paused'],
    [
      'the table holds something else',
      { facts: [{ subject: 'report of 03-01', expected: '7 orders', found: 'nothing' }] },
      'what was to be written is there, and right',
    ],
  ])('%s', (_, doctored, promise) => {
    expect(brokenBy({ ...SOUND, ...doctored })).toContain(promise);
  });
});

describe('the verdict', () => {
  const verdict = (history: History) => {
    const lines: string[] = [];
    const held = tellVerdict(
      [...INVARIANTS, everySituation(['crash'])],
      history,
      (line) => lines.push(line),
      paint(false),
    );
    return { held, lines };
  };

  test('passes a sound evening', () => {
    const { held, lines } = verdict(SOUND);

    expect(held).toBe(true);
    expect(lines.every((line) => line.startsWith('PASS'))).toBe(true);
  });

  test('names each breach and fails', () => {
    const { held, lines } = verdict({ ...SOUND, works: reworked(2, { fromMs: 1_300 }) });

    expect(held).toBe(false);
    expect(lines).toContain('      report: #2 began while #1 was at work');
  });

  test('fails where a situation was left out, or an invariant had nothing to look at', () => {
    expect(verdict({ ...SOUND, situations: ['on time'] }).held).toBe(false);
    expect(verdict({ ...SOUND, crashes: [] }).held).toBe(false);
  });
});
