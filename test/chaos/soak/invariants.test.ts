import { describe, expect, test, vi } from 'vitest';
import { brokenBy } from '../../support/play/verdict.js';
import { watchTimers } from './clock.js';
import { type Delivery, historyOf, type Settled, type SoakHistory, type Worker } from './history.js';
import { SOAK_INVARIANTS } from './invariants.js';
import type { SoakJob } from './plan.js';
import { summaryTable } from './summary.js';
import { witnessed } from './witness-file.js';

const PLAIN: SoakJob = {
  name: 'plain',
  lockAtMostForMs: 2_000,
  keepAlive: false,
  lockAtLeastForMs: 0,
  tickMark: 'success',
  isDueLaterMs: 0,
  worksMs: [20, 200],
  comesToHostsAhead: false,
};
const ONCE: SoakJob = { ...PLAIN, name: 'once', tickMark: 'start' };
const KEPT: SoakJob = { ...PLAIN, name: 'kept', keepAlive: true };
const SPACED: SoakJob = { ...PLAIN, name: 'spaced', lockAtLeastForMs: 700, isDueLaterMs: 3_600_000 };
const AHEAD: SoakJob = { ...PLAIN, comesToHostsAhead: true };
const OWED: SoakJob = { ...SPACED, name: 'owed', isDueLaterMs: 0 };

const worker = (name: string, fields: Partial<Worker> = {}): Worker => ({
  name,
  aheadMs: 0,
  stops: [],
  stalls: [],
  ended: { code: 0, signal: null, stderr: '' },
  ...fields,
});
const W1 = worker('w1');
const W2 = worker('w2');
const STOPPED = worker('w3', { stops: [{ fromMs: 20_000, toMs: 25_000 }] });
const KILLED = worker('w4', { killedMs: 40_000, ended: { code: null, signal: 'SIGKILL', stderr: '' } });
/** A worker whose timers stopped when the stopped worker of the sound soak did, and fired again at `untilMs`. */
const withoutTimers = (untilMs: number, stops = STOPPED.stops) =>
  worker('w3', { stops, stalls: [{ fromMs: 19_990, toMs: untilMs }] });

const STARTED_AT = Date.UTC(2026, 0, 1);

/**
 * A short form of a delivery. If it has a token, it ran: it was granted its lock 10 ms after its receipt, and took 200
 * ms.
 */
interface Sketch {
  readonly id: number;
  readonly job?: SoakJob;
  readonly tick?: number;
  readonly on?: Worker;
  readonly at?: number;
  readonly worksMs?: number;
  readonly token?: number;
  /** When the handler began, if its process stood still after the grant. */
  readonly beganMs?: number;
  readonly endedMs?: number;
  readonly hasReturned?: boolean;
  readonly abortedMs?: number | undefined;
  readonly previous?: readonly [status: string, token: number];
  /** The token of a grant that led to no run. */
  readonly granted?: number;
  /** Absent if the worker was killed. It comes 20 ms after the run. */
  readonly ending?: Settled['ending'] | undefined;
  readonly settledMs?: number;
  /** The delivery because of which this one was skipped. */
  readonly by?: number;
  readonly underToken?: number;
  readonly locked?: readonly [fromMs: number, untilMs: number];
}

const RAN = 'ran: released';
const NOT_BEGUN = 'not begun: LockLostError';
const toldAt = (abortedMs: number) => ({ abortedMs, hasReturned: false, ending: 'aborted: LockLostError' }) as const;
const DIED = { on: KILLED, at: 39_900, endedMs: 40_000, hasReturned: false };

/** The deliveries of a soak in which everything is correct, with one example of each case. */
const SOUND: readonly Sketch[] = [
  { id: 1, tick: 1, on: W1, token: 11, at: 1_000, ending: RAN },
  { id: 2, tick: 1, on: W2, at: 1_005, ending: 'skipped: locked', by: 1 },
  { id: 3, tick: 1, on: W2, at: 2_500, ending: 'skipped: already-executed' },
  // Its worker was stopped for longer than the lease: a successor is at work when it goes on.
  { id: 4, tick: 3, on: STOPPED, token: 12, at: 19_900, endedMs: 25_010, ...toldAt(25_005) },
  { id: 5, tick: 4, on: W1, token: 13, at: 23_500, endedMs: 25_400, previous: ['crashed', 12], ending: RAN },
  { id: 6, tick: 2, on: W2, at: 26_000, ending: 'skipped: stale-tick' },
  { id: 7, tick: 5, token: 14, ...DIED },
  { id: 8, tick: 6, on: W2, at: 41_000, ending: 'skipped: locked', by: 7 },
  { id: 9, tick: 7, on: W2, token: 15, at: 45_500, previous: ['crashed', 14], ending: RAN },
  { id: 10, job: SPACED, tick: 1, on: W1, token: 101, at: 1_000, ending: RAN },
  { id: 11, job: SPACED, tick: 2, on: W2, token: 102, at: 1_900, ending: RAN },
  { id: 17, job: SPACED, tick: 3, on: W1, at: 2_400, ending: 'skipped: lock-at-least-for', by: 11 },
  { id: 18, job: OWED, tick: 1, on: W1, token: 401, at: 1_000, ending: RAN },
  { id: 19, job: OWED, tick: 2, on: W2, token: 402, at: 1_400, ending: RAN },
  { id: 12, job: ONCE, tick: 1, on: W1, token: 201, at: 1_000, hasReturned: false, ending: 'failed' },
  { id: 13, job: ONCE, tick: 1, on: W2, at: 1_500, ending: 'skipped: already-executed' },
  { id: 15, job: KEPT, tick: 1, on: W1, token: 301, at: 1_000, endedMs: 3_600, worksMs: 2_500, ending: RAN },
  { id: 14, job: ONCE, tick: 2, on: W2, at: 2_500, ending: 'store error: UNAVAILABLE' },
];

function deliveryOf(sketch: Sketch): Delivery {
  const { id, job = PLAIN, tick: tickMs = 0, on = W1, at = 0, worksMs = 200, token, granted = token, ending } = sketch;
  const { abortedMs, previous, endedMs = at + 200, hasReturned = true, by, locked: times = [] } = sketch;
  const { beganMs = at + 11 } = sketch;
  const run = token !== undefined && {
    token,
    beganMs,
    endedMs,
    hasReturned,
    ...(abortedMs && { aborted: { reason: 'LockLostError', atMs: abortedMs } }),
    ...(previous && { previous: { status: previous[0], token: previous[1] } }),
  };
  const [lockedAt = '', lockUntil = ''] = times.map((ms) => new Date(STARTED_AT + ms).toISOString());
  const fencingToken = sketch.underToken ?? SOUND.find((one) => one.id === by)?.token ?? 0;
  const holder = by && { holder: { lockedBy: String(by), lockedAt, lockUntil, fencingToken } };
  const settledMs = sketch.settledMs ?? (run ? endedMs + 20 : at + 10);
  return {
    id,
    job,
    tickMs,
    worksMs,
    worker: on,
    receivedMs: at,
    ...(granted && { granted: { token: granted, atMs: at + 10 } }),
    ...(run && { run }),
    ...(ending && { settled: { ending, atMs: settledMs, ...holder } }),
  };
}

const WRITES = {
  plain: '11 1 1011\n12 4 19911\n13 5 23511\n12 4 19991\n14 7 39911\n15 9 45511\n',
  spaced: '101 10 1011\n102 11 1911\n',
  once: '201 12 1011\n',
};

const soakOf = (sketches: readonly Sketch[], writes: Readonly<Record<string, string>> = WRITES): SoakHistory => ({
  store: 'redis',
  startedAt: STARTED_AT,
  workers: [W1, W2, STOPPED, KILLED],
  deliveries: sketches.map(deliveryOf),
  writes: new Map(Object.entries(writes).map(([job, text]) => [job, witnessed(text)])),
});
const sound = soakOf(SOUND);

/** The sound soak with some deliveries changed and others added. */
const but = (...changes: readonly Sketch[]): SoakHistory => {
  const changed = SOUND.map((one) => ({ ...one, ...changes.find(({ id }) => id === one.id) }));
  return soakOf([...changed, ...changes.filter(({ id }) => !SOUND.some((one) => one.id === id))]);
};
const written = (writes: Readonly<Record<string, string>>) => soakOf(SOUND, { ...WRITES, ...writes });
const withWorker = (one: Worker): SoakHistory => ({ ...sound, workers: [...sound.workers, one] });
const times = (count: number, sketches: (i: number) => readonly Sketch[]) =>
  but(...Array.from({ length: count }, (_, i) => sketches(i)).flat());
const locked = (id: number, tick: number, at: number, by: number, more: Partial<Sketch> = {}): Sketch => {
  return { id, tick, at, by, on: W2, ending: 'skipped: locked', ...more };
};

test('a sound soak breaks no invariant, and gives each of them something to look at', () => {
  expect(brokenBy(SOAK_INVARIANTS, sound)).toEqual([]);
  for (const [promise, check] of Object.entries(SOAK_INVARIANTS)) {
    expect(check(sound).cases, promise).toBeGreaterThan(0);
  }
});

/** Delivery 4, but its signal never aborts, and it works on when its timers have fired again. */
const FIRED_UNTOLD = { id: 4, on: withoutTimers(25_000, []), endedMs: 25_500, hasReturned: true, ending: RAN } as const;
const FIRED_AGAIN = but({ ...FIRED_UNTOLD, abortedMs: undefined }, { id: 5, at: 25_200, endedMs: 25_700 });
/** A run for the tick of delivery 8, which was skipped because a newer tick was done. */
const OLDER_TICK = { id: 21, tick: 6, on: W2, token: 16, at: 46_000, ending: RAN } as const;
const ANOTHER = { id: 20, tick: 9, on: W2, token: 16, at: 45_600, ending: RAN } as const;
const EXECUTED = { ending: 'skipped: already-executed' } as const;
const HELD_BACK = { ending: 'skipped: lock-at-least-for' } as const;
const ASLEEP = worker('w7', { stalls: [{ fromMs: 0, toMs: 90_000 }] });

/**
 * Histories that break an invariant. The name of each says what is wrong. Here each invariant is broken by what workers
 * report; test/support/history/invariants.test.ts has further ways.
 */
const DOCTORED: Readonly<Record<string, Readonly<Record<string, SoakHistory>>>> = {
  'two handlers are never at work at once': {
    'two handlers are at work': but(ANOTHER),
    'one whose timers have fired again works on': FIRED_AGAIN,
  },
  'a handler is told to stop before its lease is over': {
    'a handler works on beyond its lease': but({ id: 9, endedMs: 47_600 }),
    'one whose timers have fired again is not told': FIRED_AGAIN,
  },
  'writes nothing after its lease': {
    'a handler does the work that waited for it while its process was stopped': written({
      plain: '12 4 19911\n12 4 25003\n',
    }),
  },
  'fencing tokens rise': {
    'a token that nobody ran under is granted twice': but({ id: 20, at: 45_300, granted: 15, ending: 'failed' }),
  },
  'has the token of its own grant': {
    'a run writes under a token that is not its own': written({ once: '202 12 1011\n' }),
    'a run that never stood still is refused': written({ plain: '15 9 45511\n14 7 45512\n' }),
  },
  'a done tick does not run again': {
    'a tick that is done runs again': but({ id: 9, tick: 4 }),
    'an older tick runs whose only other call was skipped at once': but(OLDER_TICK),
  },
  'a call is skipped because its tick is done only if': {
    'a tick is called executed that failed': but({ id: 20, tick: 5, at: 45_900, ...EXECUTED }),
    'a started tick is called executed, and nobody was granted it': but({
      id: 20,
      job: ONCE,
      tick: 3,
      at: 3_000,
      ...EXECUTED,
    }),
  },
  'lockAtLeastFor keeps out no tick that is owed': {
    'a tick is kept out that was due before': but(locked(20, 3, 1_800, 19, { job: OWED, ...HELD_BACK })),
  },
  'no call is skipped because of a grant that is over': {
    'a dead holder blocks its job for too long': but(locked(20, 7, 45_100, 7)),
    'for longer than its lease, as the record has it': but(locked(20, 7, 45_100, 7, { locked: [44_000, 46_100] })),
    'when its lease is over, as the record has it': but(locked(20, 7, 45_100, 7, { locked: [43_000, 45_000] })),
    'the lease of a dead holder is renewed': but(
      { id: 16, job: KEPT, token: 14, tick: 5, ...DIED },
      locked(20, 7, 60_000, 16, { job: KEPT, locked: [39_905, 61_000], underToken: 14 }),
    ),
    'one is skipped for a lockAtLeastFor that is over': but(locked(20, 3, 6_000, 11, { job: SPACED, ...HELD_BACK })),
    'a delivery is skipped for itself': but({ id: 8, by: 8 }),
    'a delivery is skipped for nobody': but({ id: 8, by: 99 }),
    "a delivery is skipped for another job's holder": but({ id: 8, by: 11 }),
    'a delivery is skipped for one that was released long since': but(locked(20, 8, 48_900, 9)),
    'a delivery is skipped for one that lost its lock long since': but(locked(20, 8, 31_000, 4)),
  },
  'a crash is reported to the next run': {
    'a run is told that the one that died had succeeded': but({ id: 9, previous: ['succeeded', 14] }),
    'a run is told that the one that succeeded had crashed': but({ id: 5, previous: ['crashed', 11] }),
    'runs are not told of the one that died, time and again': times(6, (i) => [
      { id: 30 + i, job: SPACED, token: 110 + 2 * i, tick: 5, ...DIED },
      { id: 40 + i, job: SPACED, token: 111 + 2 * i, tick: 20 + i, on: W2, at: 45_000 + 1_000 * i, ending: RAN },
    ]),
  },
  'a lock is left without a runner': {
    'locks are left without a runner, time and again': times(6, (i) => [
      { id: 20 + 2 * i, tick: 1, at: 3_000, ...EXECUTED },
      locked(21 + 2 * i, 2, 3_100, 20 + 2 * i),
    ]),
    'locks are held under a token that their runs were not told of, time and again': but(
      ...SOUND.filter(({ token }) => token).map(({ id, job = PLAIN }) =>
        locked(20 + id, 2, 26_000, id, { job, underToken: 500 }),
      ),
    ),
  },
  'lockAtLeastFor is kept': {
    'lockAtLeastFor is cut short': but({ id: 11, at: 1_600 }),
  },
  'each delivery to a worker that lives': {
    'a delivery never ends': but({ id: 7, on: W1 }),
    'one that began is said to have lost its lock before': but({ id: 9, ending: NOT_BEGUN }),
    'a delivery ends with an error of another kind': but({ id: 14, ending: 'error: TypeError' }),
    'the store fails in a way that no network explains': but({ id: 14, ending: 'store error: INVALID_REQUEST' }),
  },
  'with keepAlive runs that take longer': {
    'renewals come to nothing': times(6, (i) => {
      const [at, endedMs] = [5_000 + 3_000 * i, 6_900 + 3_000 * i];
      return [
        { id: 50 + i, job: KEPT, tick: 2 + i, token: 302 + i, at, endedMs, worksMs: 2_500, ...toldAt(endedMs - 5) },
      ];
    }),
  },
  'each job goes on': {
    'a job runs no more': times(30, (i) => [locked(30 + i, 10 + i, 5_000 + i, 12, { job: ONCE })]),
  },
  'of the runs never stand still': {
    'the machine leaves nearly every run waiting': times(40, (i) => [
      { id: 30 + i, job: SPACED, tick: 10 + i, on: ASLEEP, token: 103 + i, at: 3_000 + 900 * i, ending: RAN },
    ]),
  },
  'a worker ends when it is told to': {
    'a worker does not end': withWorker({ name: 'w5', aheadMs: 0, stops: [], stalls: [] }),
    'a worker dies by itself': withWorker(worker('w5', { ended: { code: 1, signal: null, stderr: '' } })),
    'a worker was dead before it was killed': withWorker(worker('w5', { killedMs: 40_000 })),
  },
};

describe.each(Object.entries(DOCTORED))('%s: is broken where', (promise, histories) => {
  test.each(Object.entries(histories))('%s', (_, history) => {
    expect(brokenBy(SOAK_INVARIANTS, history)).toContainEqual(expect.stringContaining(promise));
  });
});

test('each invariant is broken by a doctored soak', () => {
  const unproved = Object.keys(SOAK_INVARIANTS).filter(
    (promise) => !Object.keys(DOCTORED).some((part) => promise.includes(part)),
  );
  expect(unproved).toEqual([]);
});

const onDynamoDB = (history: SoakHistory): SoakHistory => ({ ...history, store: 'dynamodb' });

const NO_BREACH: Readonly<Record<string, SoakHistory>> = {
  'on DynamoDB a dead holder whose clock was ahead blocks for as much longer': onDynamoDB(
    but({ id: 7, on: { ...KILLED, aheadMs: 5_000 } }, locked(20, 7, 45_100, 7)),
  ),
  'a request that the machine kept back grants a lock when its sender is long dead': but(
    locked(20, 7, 45_100, 7, { locked: [44_000, 46_000] }),
  ),
  'one that stood still since its grant begins beside its successor, which works on, and is told at once': but(
    { id: 4, at: 19_980, beganMs: 25_070, ...toldAt(25_153), endedMs: 25_153 },
    { id: 5, endedMs: 25_400 },
  ),
  'one that stood still since its grant does not begin': but({
    id: 20,
    tick: 9,
    on: W1,
    at: 47_000,
    granted: 16,
    ending: NOT_BEGUN,
  }),
  'an older tick runs whose earlier call learnt too late that it had the lock, which counts as a crash': but(
    { id: 8, settledMs: 43_050 },
    OLDER_TICK,
  ),
  'on DynamoDB a host that is ahead cuts lockAtLeastFor short': onDynamoDB(
    but({ id: 11, on: worker('w6', { aheadMs: 5_000 }), at: 1_600 }),
  ),
  'one that went on is told when its first timer fires, for long after the I/O that had waited': but(
    { id: 4, on: withoutTimers(25_690), endedMs: 25_700, abortedMs: 25_695 },
    { id: 5, at: 23_700, endedMs: 25_690 },
  ),
  'a tick runs again whose success may not have been recorded': but(
    { id: 5, ending: 'ran: unknown' },
    { id: 9, tick: 4 },
  ),
  'a job that comes to hosts ahead is blocked on DynamoDB': onDynamoDB(
    soakOf(
      Array.from({ length: 30 }, (_, i) => ({ id: i + 2, job: AHEAD, tick: i, at: i, ending: 'skipped: paused' })),
      {},
    ),
  ),
  'a lock is left without a runner now and then': but(
    { id: 20, tick: 1, at: 3_000, ...EXECUTED },
    locked(21, 2, 3_100, 20),
    locked(22, 8, 45_600, 9, { underToken: 16 }),
  ),
};

test.each(Object.entries(NO_BREACH))('it is no breach: %s', (_, history) => {
  expect(brokenBy(SOAK_INVARIANTS, history)).toEqual([]);
});

test('I/O that comes before the timers does not hide that no timer fired', () => {
  vi.useFakeTimers();
  const gaps: [number, number][] = [];
  let now = 0;
  const timers = watchTimers(
    () => now,
    (fromMs, toMs) => gaps.push([fromMs, toMs]),
  );
  /** Reads of I/O, and timers that fire, each at an instant. */
  for (const [what, atMs] of [
    ['fire', 100],
    ['io', 3_000],
    ['io', 3_100],
    ['fire', 3_250],
    ['io', 3_300],
  ] as const) {
    now = atMs;
    if (what === 'fire') vi.advanceTimersToNextTimer();
    else timers.tellGap();
  }
  timers.stop();
  vi.useRealTimers();

  expect(gaps).toEqual([3_000, 3_100, 3_250].map((toMs) => [100, toMs]));
  const said = () => gaps.map(([fromMs, toMs]) => ({ said: 'stalled' as const, fromMs, toMs }));
  const { workers } = historyOf([{ name: 'w1', aheadMs: 0, stops: [], said }], []);
  expect(workers).toMatchObject([{ stalls: [{ fromMs: 100, toMs: 3_250 }] }]);
});

test('puts a delivery together from what its worker has said', () => {
  const order = { id: 1, job: PLAIN, tickMs: 7, worksMs: 200 };
  const run = { token: 11, beganMs: 20 };
  const said = () => [
    { said: 'ready' as const, wallOffsetMs: 0 },
    { said: 'delivery' as const, id: 1, receivedMs: 10 },
    { said: 'delivery' as const, id: 2, receivedMs: 12 },
    { said: 'delivery' as const, id: 1, granted: { token: 11, atMs: 19 } },
    { said: 'delivery' as const, id: 1, run },
    { said: 'delivery' as const, id: 1, run: { aborted: { reason: 'LockLostError', atMs: 30 } } },
  ];
  const life = { name: 'w1', aheadMs: 0, stops: [], killedMs: 40, said };
  const { deliveries } = historyOf([life], [{ order: { ...order, fails: false }, life }]);

  expect(deliveries).toEqual([
    {
      ...order,
      worker: { name: 'w1', aheadMs: 0, stops: [], stalls: [], killedMs: 40 },
      receivedMs: 10,
      granted: { token: 11, atMs: 19 },
      run: { ...run, aborted: { reason: 'LockLostError', atMs: 30 }, endedMs: 40, hasReturned: false },
    },
  ]);
});

test('a breach shows the piece of history behind it', () => {
  const [breach = ''] = Object.values(SOAK_INVARIANTS).flatMap((check) => check(but(ANOTHER)).breaches);

  expect(breach).toContain('two at work for 89 ms');
  expect(breach).toContain('#9 plain, tick 00:00:00, on w2, received @45500, granted token 15 @45510, began @45511');
  expect(breach).toContain('#20 plain');
});

test('the table counts what was done and what came of it', () => {
  const soak = { history: sound, seconds: 60.4, struck: ['late', 'late', 'late'] };
  const rows = new Map(summaryTable([soak]).map((row) => row.split(/ {2,}/) as [string, string]));

  expect(Object.fromEntries(rows)).toMatchObject({
    seconds: '60',
    ticks: '15',
    deliveries: '18',
    grants: '11',
    'skipped: locked': '2',
    'store error: UNAVAILABLE': '1',
    'deliveries cut short by a kill': '1',
    kills: '1',
    stops: '1',
    'network: late': '3',
    'runs beside a successor, standing still': '1',
    'witness: accepted': '8',
    'witness: refused': '1',
    violations: '0',
  });
});
