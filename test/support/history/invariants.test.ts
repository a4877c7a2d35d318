import { describe, expect, test } from 'vitest';
import type { Grant, History, Run, Skip, Write } from './history.js';
import { INVARIANTS } from './invariants.js';

/*
 * What exact clocks, operators, runs that catch up and handlers that ignore their signal add to a history. Histories of
 * real processes are tested in test/chaos/soak/invariants.test.ts.
 */

const run = (token: number, fromMs: number, toMs: number, more: Partial<Run> = {}): Run => ({
  attempt: `a${token}`,
  host: `host ${token}`,
  tick: token * 10,
  token,
  began: [fromMs, fromMs],
  ended: [toMs, toMs],
  end: 'returned',
  isRecorded: true,
  ...more,
});
const grantOf = ({ attempt, host, tick, token, began }: Run): Grant => ({ attempt, host, tick, token, at: began });
const writeOf = ({ attempt, host, token }: Run, atMs: number, more: Partial<Write> = {}): Write => {
  return { attempt, host, token, at: [atMs, atMs], hasAsked: true, isAccepted: true, ...more };
};

const FIRST = run(1, 0, 100);
const SECOND = run(2, 200, 300);
const sound = (more: Partial<History> = {}): History => {
  const runs = more.runs ?? [FIRST, SECOND];
  const grants = [...new Map(runs.map((one) => [one.token, grantOf(one)])).values()];
  const base = {
    tickMark: 'success',
    neverCameIsOpen: false,
    readingMs: 0,
    writes: [],
    skips: [],
    standstills: [],
  } as const;
  return { ...base, openings: [], grants, ...more, runs };
};
const again = (more: Partial<Run> = {}) => run(3, 400, 500, { tick: FIRST.tick, ...more });
const skip = (reason: Skip['reason'], tick: number): Skip => {
  return { attempt: 's', host: 'host s', tick, at: [350, 360], reason, grantOverMs: Number.POSITIVE_INFINITY };
};
/** The first run goes on beside the second, so it has lost the lock. */
const lost = (more: Partial<Run> = {}) => ({ ...FIRST, ended: [250, 250] as const, isRecorded: false, ...more });

const still = (toMs: number) => ({ host: 'host 1', fromMs: 50, toMs });

const brokenBy = (history: History) =>
  INVARIANTS.filter(({ check }) => check(history).breaches.length > 0).map(({ name }) => name);

/** Histories that break an invariant, by the name of that invariant. The name of each says what is wrong. */
const BROKEN: Readonly<Record<string, Readonly<Record<string, Partial<History>>>>> = {
  I1: {
    'two are at work for a millisecond': { runs: [{ ...FIRST, ended: [201, 201] }, SECOND] },
    'one that is told and listens works on': { runs: [lost({ returnedMs: 190 }), SECOND] },
    'one works on when its host goes on': { runs: [lost(), SECOND], standstills: [still(240)] },
  },
  I2: {
    'a token falls': { runs: [run(2, 0, 100), run(1, 200, 300)] },
    'a token is granted twice': { grants: [FIRST, SECOND, { ...SECOND, attempt: 'other' }].map(grantOf) },
  },
  'I3, done': {
    'a tick runs again': { runs: [FIRST, SECOND, again()] },
    'a tick is granted again, and nobody is told': {
      grants: [FIRST, SECOND, again()].map(grantOf),
      runs: [FIRST, SECOND],
    },
    'a tick runs again after an operator has opened another': {
      runs: [FIRST, SECOND, again()],
      openings: [{ tick: 20, atMs: 350 }],
    },
    'a tick that was opened runs twice': {
      runs: [FIRST, again(), run(4, 600, 700, { tick: FIRST.tick })],
      openings: [{ atMs: 350 }],
    },
    'a run catches up with one tick twice': { runs: [FIRST, { ...FIRST, began: [100, 100], ended: [150, 150] }] },
    'an older tick runs that nobody had begun': { runs: [FIRST, SECOND, again({ tick: 15 })] },
    'a tick marked at its start starts again': { tickMark: 'start', runs: [lost({ ended: [100, 100] }), again()] },
  },
  'I3, told': {
    'a tick is called executed that failed': {
      runs: [{ ...FIRST, end: 'threw' }],
      skips: [skip('already-executed', 10)],
    },
    'a tick is called stale before a newer one is done': {
      runs: [FIRST, again({ tick: 30 })],
      skips: [skip('stale-tick', 20)],
    },
  },
  I5: { 'a grant comes too early': { grants: [grantOf(FIRST), { ...grantOf(SECOND), notBeforeMs: 201 }] } },
  'I5, told': {
    'a call is kept out whose tick is owed': { skips: [{ ...skip('lock-at-least-for', 30), passesHold: true }] },
  },
  'I6, I11': { 'one who asked after a release is refused': { skips: [{ ...skip('locked', 30), grantOverMs: 349 }] } },
  I7: {
    'a run has the token of another attempt': { grants: [FIRST, { ...SECOND, attempt: 'a3' }].map(grantOf) },
    'a write of one that is awake is refused': { writes: [writeOf(SECOND, 250, { isAccepted: false })] },
  },
  I13: {
    'one works on after its lease': { runs: [{ ...FIRST, leaseEndsMs: 99 }, SECOND] },
    'one that lost its lock is not told after its successor’s end': { runs: [lost({ ended: [400, 400] }), SECOND] },
  },
  I14: {
    'one that has asked writes after its successor has begun': { writes: [writeOf(FIRST, 201)] },
    'one that has asked writes after its lease': {
      runs: [{ ...FIRST, leaseEndsMs: 100 }],
      writes: [writeOf(FIRST, 101)],
    },
  },
};

test('each invariant has a history that breaks it', () => {
  expect(Object.keys(BROKEN)).toEqual(INVARIANTS.map(({ name }) => name));
});

describe.each(Object.entries(BROKEN))('%s is broken if', (name, histories) => {
  test.each(Object.entries(histories))('%s', (_, history) => {
    expect(brokenBy(sound(history))).toContain(name);
  });
});

const SOUND: Readonly<Record<string, Partial<History>>> = {
  'all is well': {},
  'one runs beside its successor while its host stands still': {
    runs: [lost({ returnedMs: 250 }), SECOND],
    standstills: [still(250)],
  },
  'one that was told, or was ended by force, does not listen': {
    runs: [lost({ returnedMs: 190, mayOverlapFromMs: 190 }), SECOND],
    writes: [writeOf(SECOND, 210), writeOf(FIRST, 220, { isAccepted: false })],
  },
  'one that does not ask writes late on a host that stood still, and is refused': {
    writes: [writeOf(SECOND, 210), writeOf(FIRST, 220, { hasAsked: false, isAccepted: false })],
    standstills: [still(220)],
  },
  'the successor begins when it may have ended': { runs: [{ ...FIRST, ended: [150, 250] }, SECOND] },
  'a tick runs again that failed': { runs: [{ ...FIRST, isRecorded: false }, SECOND, again()] },
  'a tick runs again that an operator has opened': {
    runs: [FIRST, SECOND, again()],
    openings: [{ tick: 10, atMs: 350 }],
    neverCameIsOpen: true,
  },
  'an older tick runs that a schedule has opened': {
    runs: [FIRST, SECOND, again({ tick: 15 })],
    neverCameIsOpen: true,
  },
  'an older tick runs that somebody may have been granted': {
    runs: [FIRST, SECOND, again({ tick: 15 })],
    grants: [...[FIRST, SECOND, again({ tick: 15 })].map(grantOf), { attempt: 'x', host: 'x', tick: 15, at: [10, 20] }],
  },
  'a tick marked at its start is granted again after a delete': {
    tickMark: 'start',
    runs: [FIRST, again()],
    openings: [{ atMs: 350 }],
  },
  'a run catches up with several ticks under one token': {
    runs: [FIRST, { ...FIRST, tick: 20, began: [100, 100], ended: [150, 150] }],
  },
  'a tick is called executed after its run': { skips: [skip('already-executed', 20), skip('stale-tick', 10)] },
};

test.each(Object.entries(SOUND))('none is broken if %s', (_, history) => {
  expect(brokenBy(sound(history))).toEqual([]);
});

test('breaches show their facts', () => {
  const [done] = INVARIANTS.filter(({ name }) => name === 'I3, done');
  const runs = [FIRST, SECOND, again()];

  expect(done?.check(sound({ runs }))).toEqual({
    cases: 3,
    breaches: [{ what: 'a tick ran that was done', facts: [FIRST, runs[2]] }],
  });
});
