import { describe, expect, test, vi } from 'vitest';
import { watchTimers } from './clock.js';
import { type Delivery, type Ending, historyOf, type Run, type SoakHistory, type Worker } from './history.js';
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
  worksMs: [20, 200],
  comesToHostsAhead: false,
};
const ONCE: SoakJob = { ...PLAIN, name: 'once', tickMark: 'start' };
const KEPT: SoakJob = { ...PLAIN, name: 'kept', keepAlive: true };
const SPACED: SoakJob = { ...PLAIN, name: 'spaced', lockAtLeastForMs: 700 };

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

const RAN: Ending = { kind: 'ran', release: 'released' };
/** Of the deliveries of the sound soak. */
const TOKENS_OF = new Map([
  [1, 11],
  [4, 12],
  [5, 13],
  [7, 14],
  [9, 15],
  [11, 102],
  [12, 201],
]);
const skipped = (reason: string, by = 0, fencingToken = TOKENS_OF.get(by) ?? 0): Ending => ({
  kind: 'skipped',
  reason,
  holder: { lockedBy: String(by), lockedAt: '', lockUntil: '', fencingToken },
});

const STARTED_AT = Date.UTC(2026, 0, 1);
const iso = (ms: number) => new Date(STARTED_AT + ms).toISOString();

/** Skipped for a record that was granted and held as the server's clock has it. */
const lockedBy = (by: number, fromMs: number, untilMs: number): Ending => ({
  kind: 'skipped',
  reason: 'locked',
  holder: {
    lockedBy: String(by),
    lockedAt: iso(fromMs),
    lockUntil: iso(untilMs),
    fencingToken: TOKENS_OF.get(by) ?? 0,
  },
});

/** A delivery that ran: granted 10 ms after it was received, and settled 20 ms after its handler had ended. */
function ran(
  id: number,
  job: SoakJob,
  tickMs: number,
  on: Worker,
  token: number,
  atMs: number,
  run: Partial<Run> = {},
) {
  const endedMs = run.endedMs ?? atMs + 200;
  const all: Run = { token, beganMs: atMs + 11, endedMs, hasReturned: true, refused: 0, ...run };
  const settled = { ending: RAN, atMs: endedMs + 20 };
  return {
    id,
    job,
    tickMs,
    worksMs: 200,
    worker: on,
    receivedMs: atMs,
    granted: { token, atMs: atMs + 10 },
    run: all,
    settled,
  };
}

function skip(id: number, job: SoakJob, tickMs: number, on: Worker, atMs: number, ending: Ending): Delivery {
  return { id, job, tickMs, worksMs: 200, worker: on, receivedMs: atMs, settled: { ending, atMs: atMs + 10 } };
}

const LOST: Ending = { kind: 'aborted', reason: 'LockLostError' };
const ABORTED = { hasReturned: false, aborted: { reason: 'LockLostError', atMs: 25_005 } };

const died = (token: number): Run => ({ ...DEAD.run, token });
const { settled: _, ...DEAD } = ran(7, PLAIN, 5, KILLED, 14, 39_900, { endedMs: 40_000, hasReturned: false });
/** A soak as it should be, with one of everything. */
const SOUND: SoakHistory = {
  store: 'redis',
  startedAt: STARTED_AT,
  workers: [W1, W2, STOPPED, KILLED],
  deliveries: [
    ran(1, PLAIN, 1, W1, 11, 1_000),
    skip(2, PLAIN, 1, W2, 1_005, skipped('locked', 1)),
    skip(3, PLAIN, 1, W2, 2_500, skipped('already-executed', 1)),
    // Stopped for longer than its lease: its successor is at work when it goes on.
    {
      ...ran(4, PLAIN, 3, STOPPED, 12, 19_900, { endedMs: 25_010, ...ABORTED, refused: 1 }),
      settled: { ending: LOST, atMs: 25_030 },
    },
    ran(5, PLAIN, 4, W1, 13, 23_500, { endedMs: 25_400, previous: { status: 'crashed', token: 12 } }),
    skip(6, PLAIN, 2, W2, 26_000, skipped('stale-tick', 5)),
    DEAD,
    skip(8, PLAIN, 6, W2, 41_000, skipped('locked', 7)),
    ran(9, PLAIN, 7, W2, 15, 45_500, { previous: { status: 'crashed', token: 14 } }),
    ran(10, SPACED, 1, W1, 101, 1_000),
    ran(11, SPACED, 2, W2, 102, 1_900),
    {
      ...ran(12, ONCE, 1, W1, 201, 1_000, { hasReturned: false }),
      settled: { ending: { kind: 'failed' }, atMs: 1_300 },
    },
    skip(13, ONCE, 1, W2, 1_500, skipped('already-executed', 12)),
    { ...ran(15, KEPT, 1, W1, 301, 1_000, { endedMs: 3_600 }), worksMs: 2_500 },
    skip(14, ONCE, 2, W2, 2_500, { kind: 'store error', code: 'UNAVAILABLE' }),
  ],
  writes: new Map([
    ['plain', witnessed('11 1 1011\n12 4 19911\n13 5 23511\n12 4 25003\n14 7 39911\n15 9 45511\n')],
    ['spaced', witnessed('101 10 1011\n102 11 1911\n')],
    ['once', witnessed('201 12 1011\n')],
  ]),
};

const brokenBy = (history: SoakHistory) =>
  SOAK_INVARIANTS.filter(({ check }) => check(history).breaches.length > 0).map(({ promise }) => promise);

/** The sound soak with other writes of one job. */
const written = (job: string, text: string): SoakHistory => ({
  ...SOUND,
  writes: new Map([...SOUND.writes, [job, witnessed(text)]]),
});

/** A worker none of whose timers fired for so long, from the instant at which it was stopped. */
const withoutTimers = (untilMs: number, stops = [{ fromMs: 20_000, toMs: 25_000 }]) =>
  worker('w3', { stops, stalls: [{ fromMs: 19_990, toMs: untilMs }] });

/** The sound soak with some of its deliveries changed, and others added. */
function doctored(...changed: readonly (Partial<Delivery> & { readonly id: number })[]): SoakHistory {
  const deliveries = SOUND.deliveries.map((one) => ({ ...one, ...changed.find(({ id }) => id === one.id) }));
  const added = changed.filter(({ id }) => !SOUND.deliveries.some((one) => one.id === id));
  return { ...SOUND, deliveries: [...deliveries, ...(added as readonly Delivery[])] };
}

test('a sound soak breaks no invariant, and gives each of them something to look at', () => {
  expect(brokenBy(SOUND)).toEqual([]);
  for (const { promise, check } of SOAK_INVARIANTS) expect(check(SOUND).cases, promise).toBeGreaterThan(0);
});

const AT_ONCE = 'never two handlers of a job at work at once';
const ASKED = 'a handler is asked to stop before its lease is over';
const AFTER = 'writes nothing after its lease';
const TOKENS = 'fencing tokens rise';
const WITNESS = 'each write comes under the token of its run';
const OUTLIVES = 'with keepAlive runs that take longer';
const DONE = 'no tick runs once the success of it';
const START = "with tickMark 'start' a tick is granted once";
const TOLD = 'nobody is told that a tick is done';
const CRASH = 'a crash blocks its job for its lease';
const LOCKED = "none is skipped as 'locked' but for another";
const REMAINDER = 'a lock is left without a runner';
const AT_LEAST = 'lockAtLeastFor is kept';
const ENDS = 'each delivery to a worker that lives';
const GOES_ON = 'each job goes on';
const AWAKE = 'of the runs never stand still';
const WORKER = 'a worker ends when it is told to';

describe('a doctored soak breaks the invariant that it wrongs', () => {
  test.each<[string, string, SoakHistory]>([
    ['two handlers are at work', AT_ONCE, doctored(ran(20, PLAIN, 9, W2, 16, 45_600))],
    [
      'one that stood still works on for long after it went on',
      AT_ONCE,
      doctored(
        ran(4, PLAIN, 3, STOPPED, 12, 19_900, { endedMs: 25_900 }),
        ran(5, PLAIN, 4, W1, 13, 24_900, { endedMs: 26_000 }),
      ),
    ],
    ['a handler works on beyond its lease', ASKED, doctored(ran(9, PLAIN, 7, W2, 15, 45_500, { endedMs: 47_600 }))],
    [
      'one that stood still is not told',
      ASKED,
      doctored(
        ran(4, PLAIN, 3, STOPPED, 12, 19_900, { endedMs: 25_800 }),
        ran(5, PLAIN, 4, W1, 13, 25_600, { endedMs: 25_700 }),
      ),
    ],
    [
      'one whose timers have fired again is not told',
      ASKED,
      doctored(
        ran(4, PLAIN, 3, withoutTimers(25_000, []), 12, 19_900, { endedMs: 25_500 }),
        ran(5, PLAIN, 4, W1, 13, 25_200, { endedMs: 25_700 }),
      ),
    ],
    [
      'one whose timers have fired again works on',
      AT_ONCE,
      doctored(
        ran(4, PLAIN, 3, withoutTimers(25_000, []), 12, 19_900, { endedMs: 25_500 }),
        ran(5, PLAIN, 4, W1, 13, 25_200, { endedMs: 25_700 }),
      ),
    ],
    [
      'one that is never told works on when its timers fire again',
      ASKED,
      doctored(ran(4, PLAIN, 3, withoutTimers(25_000, []), 12, 19_900, { endedMs: 25_500 })),
    ],
    [
      'a handler does the work that waited for it while its process was stopped',
      AFTER,
      written('plain', '12 4 19911\n12 4 25003\n12 4 25004\n'),
    ],
    [
      'a handler whose lease was renewed writes on beside its successor',
      AFTER,
      written('kept', '301 15 1011\n302 9 3500\n301 15 3510\n301 15 3520\n'),
    ],
    ['a token falls', TOKENS, doctored(ran(9, PLAIN, 7, W2, 10, 45_500))],
    ['a token is granted twice', TOKENS, doctored(ran(9, PLAIN, 7, W2, 13, 45_500))],
    [
      'a token that nobody ran under is granted twice',
      TOKENS,
      doctored({
        ...skip(20, PLAIN, 7, W1, 45_300, { kind: 'store error', code: 'LATE' }),
        granted: { token: 15, atMs: 45_305 },
      }),
    ],
    [
      'a run writes under a token that is not its own',
      WITNESS,
      { ...SOUND, writes: new Map([['once', witnessed('202 12 1011\n')]]) },
    ],
    [
      'a delivery writes that never ran',
      WITNESS,
      { ...SOUND, writes: new Map([['once', witnessed('201 13 1011\n')]]) },
    ],
    [
      'a run that never stood still is refused',
      WITNESS,
      doctored({ id: 9, run: { ...ran(9, PLAIN, 7, W2, 15, 45_500).run, token: 10, refused: 1 } }),
    ],
    [
      'a run is not told that its write was refused',
      WITNESS,
      doctored({ id: 4, run: { ...ran(4, PLAIN, 3, STOPPED, 12, 19_900, { endedMs: 25_010 }).run, refused: 0 } }),
    ],
    ['a tick that is done runs again', DONE, doctored(ran(9, PLAIN, 4, W2, 15, 45_500))],
    ['an older tick runs after a newer one is done', DONE, doctored(ran(9, PLAIN, 2, W2, 15, 45_500))],
    ['a started tick starts again', START, doctored(ran(13, ONCE, 1, W2, 202, 1_500))],
    [
      'a tick is called executed that failed',
      TOLD,
      doctored(skip(20, PLAIN, 5, W2, 45_900, skipped('already-executed'))),
    ],
    [
      'a tick is called stale, and none is newer',
      TOLD,
      doctored(skip(20, PLAIN, 9, W2, 46_000, skipped('stale-tick'))),
    ],
    [
      'a started tick is called executed, and nobody was granted it',
      TOLD,
      doctored(skip(20, ONCE, 3, W2, 3_000, skipped('already-executed'))),
    ],
    [
      'a dead holder blocks its job for too long',
      CRASH,
      doctored(skip(20, PLAIN, 7, W2, 45_100, skipped('locked', 7))),
    ],
    [
      'a dead holder blocks its job for longer than its lease, as the record has it',
      CRASH,
      doctored(skip(20, PLAIN, 7, W2, 45_100, lockedBy(7, 44_000, 46_100))),
    ],
    [
      'a dead holder blocks its job when its lease is over, as the record has it',
      CRASH,
      doctored(skip(20, PLAIN, 7, W2, 45_100, lockedBy(7, 43_000, 45_000))),
    ],
    [
      'a run is told that the one that died had succeeded',
      CRASH,
      doctored(ran(9, PLAIN, 7, W2, 15, 45_500, { previous: { status: 'succeeded', token: 14 } })),
    ],
    [
      'a run is told that the one that succeeded had crashed',
      CRASH,
      doctored(ran(5, PLAIN, 4, W1, 13, 23_500, { endedMs: 25_400, previous: { status: 'crashed', token: 11 } })),
    ],
    [
      'runs are not told of the one that died, time and again',
      CRASH,
      doctored(
        ...Array.from({ length: 6 }, (_tick, i) => [
          { ...DEAD, id: 30 + i, job: SPACED, granted: { token: 110 + 2 * i, atMs: 39_910 }, run: died(110 + 2 * i) },
          ran(40 + i, SPACED, 20 + i, W2, 111 + 2 * i, 45_000 + 1_000 * i),
        ]).flat(),
      ),
    ],
    [
      'the lease of a dead holder is renewed',
      CRASH,
      doctored(
        { ...DEAD, id: 16, job: KEPT },
        skip(20, KEPT, 7, W2, 60_000, {
          kind: 'skipped',
          reason: 'locked',
          holder: { lockedBy: '16', lockedAt: iso(39_905), lockUntil: iso(61_000), fencingToken: 14 },
        }),
      ),
    ],
    ['a delivery is skipped for itself', LOCKED, doctored(skip(8, PLAIN, 6, W2, 41_000, skipped('locked', 8)))],
    ['a delivery is skipped for nobody', LOCKED, doctored(skip(8, PLAIN, 6, W2, 41_000, skipped('locked', 99)))],
    [
      "a delivery is skipped for another job's holder",
      LOCKED,
      doctored(skip(8, PLAIN, 6, W2, 41_000, skipped('locked', 11))),
    ],
    [
      'a delivery is skipped for one that was released long since',
      LOCKED,
      doctored(skip(20, PLAIN, 8, W1, 48_900, skipped('locked', 9))),
    ],
    [
      'a delivery is skipped for one that lost its lock long since',
      LOCKED,
      doctored(skip(20, PLAIN, 8, W1, 31_000, skipped('locked', 4))),
    ],
    [
      'locks are left without a runner, time and again',
      REMAINDER,
      doctored(
        ...[20, 22, 24, 26, 28, 30].flatMap((id) => [
          skip(id, PLAIN, 1, W1, 3_000, skipped('already-executed', 1)),
          skip(id + 1, PLAIN, 2, W2, 3_100, skipped('locked', id)),
        ]),
      ),
    ],
    [
      'locks are held under a token that their runs were not told of, time and again',
      REMAINDER,
      doctored(
        skip(20, KEPT, 2, W2, 2_000, skipped('locked', 15, 302)),
        skip(21, PLAIN, 8, W1, 45_600, skipped('locked', 9, 16)),
        skip(22, PLAIN, 2, W2, 2_000, skipped('locked', 1, 12)),
        skip(23, PLAIN, 2, W1, 20_000, skipped('locked', 4, 13)),
        skip(24, PLAIN, 3, W2, 23_600, skipped('locked', 5, 14)),
        skip(25, SPACED, 2, W1, 2_000, skipped('locked', 11, 103)),
      ),
    ],
    ['lockAtLeastFor is cut short', AT_LEAST, doctored(ran(11, SPACED, 2, W2, 102, 1_600))],
    ['a delivery never ends', ENDS, doctored({ ...DEAD, worker: W1 })],
    [
      'a delivery ends with an error of another kind',
      ENDS,
      doctored(skip(14, ONCE, 2, W2, 2_500, { kind: 'error', error: 'TypeError' })),
    ],
    [
      'the store fails in a way that no network explains',
      ENDS,
      doctored(skip(14, ONCE, 2, W2, 2_500, { kind: 'store error', code: 'INVALID_REQUEST' })),
    ],
    [
      'renewals come to nothing',
      OUTLIVES,
      doctored(
        ...Array.from({ length: 6 }, (_tick, i) => ({
          ...ran(50 + i, KEPT, 2 + i, W1, 302 + i, 5_000 + 3_000 * i, { endedMs: 6_900 + 3_000 * i, ...ABORTED }),
          worksMs: 2_500,
        })),
      ),
    ],
    [
      'a job runs no more',
      GOES_ON,
      doctored(
        ...Array.from({ length: 30 }, (_tick, i) => skip(30 + i, ONCE, 10 + i, W1, 5_000 + i, skipped('locked', 12))),
      ),
    ],
    [
      'the machine leaves nearly every run waiting',
      AWAKE,
      doctored(
        ...Array.from({ length: 40 }, (_tick, i) =>
          ran(
            30 + i,
            SPACED,
            10 + i,
            worker('w7', { stalls: [{ fromMs: 0, toMs: 90_000 }] }),
            103 + i,
            3_000 + 900 * i,
          ),
        ),
      ),
    ],
    [
      'a worker does not end',
      WORKER,
      { ...SOUND, workers: [...SOUND.workers, { name: 'w5', aheadMs: 0, stops: [], stalls: [] }] },
    ],
    [
      'a worker dies by itself',
      WORKER,
      { ...SOUND, workers: [...SOUND.workers, worker('w5', { ended: { code: 1, signal: null, stderr: '' } })] },
    ],
    [
      'a worker was dead before it was killed',
      WORKER,
      { ...SOUND, workers: [{ ...KILLED, ended: { code: 1, signal: null, stderr: '' } }] },
    ],
  ])('%s', (_what, promise, history) => {
    expect(brokenBy(history)).toContainEqual(expect.stringContaining(promise));
  });
});

test('I/O that comes before the timers does not hide that no timer fired', () => {
  vi.useFakeTimers();
  const gaps: [number, number][] = [];
  let now = 0;
  const timers = watchTimers(
    () => now,
    (fromMs, toMs) => gaps.push([fromMs, toMs]),
  );
  const fireAt = (ms: number) => {
    now = ms;
    vi.advanceTimersToNextTimer();
  };
  fireAt(100);
  for (const ioAt of [3_000, 3_100, 3_200]) {
    now = ioAt;
    timers.tellGap();
  }
  fireAt(3_250);
  now = 3_300;
  timers.tellGap();
  timers.stop();
  vi.useRealTimers();

  expect(gaps).toEqual([
    [100, 3_000],
    [100, 3_100],
    [100, 3_200],
    [100, 3_250],
  ]);
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
      run: { ...run, aborted: { reason: 'LockLostError', atMs: 30 }, endedMs: 40, hasReturned: false, refused: 0 },
    },
  ]);
});

describe('what is no breach', () => {
  const onDynamoDB = (history: SoakHistory): SoakHistory => ({ ...history, store: 'dynamodb' });
  const ahead = { ...KILLED, aheadMs: 5_000 };

  test.each<[string, SoakHistory]>([
    [
      'on DynamoDB a dead holder whose clock was ahead blocks for as much longer',
      onDynamoDB(doctored({ ...DEAD, worker: ahead }, skip(20, PLAIN, 7, W2, 45_100, skipped('locked', 7)))),
    ],
    [
      'a request that the machine kept back grants a lock when its sender is long dead',
      doctored(skip(20, PLAIN, 7, W2, 45_100, lockedBy(7, 44_000, 46_000))),
    ],
    [
      'on DynamoDB a host that is ahead cuts lockAtLeastFor short',
      onDynamoDB(doctored(ran(11, SPACED, 2, worker('w6', { aheadMs: 5_000 }), 102, 1_600))),
    ],
    [
      'one that went on is told when its first timer fires, for long after the I/O that had waited',
      doctored(
        {
          ...ran(4, PLAIN, 3, withoutTimers(25_690), 12, 19_900, {
            endedMs: 25_700,
            hasReturned: false,
            aborted: { reason: 'LockLostError', atMs: 25_695 },
            refused: 1,
          }),
          settled: { ending: LOST, atMs: 25_720 },
        },
        ran(5, PLAIN, 4, W1, 13, 23_700, { endedMs: 25_690, previous: { status: 'crashed', token: 12 } }),
      ),
    ],
    [
      'a tick runs again whose success may not have been recorded',
      doctored(
        { id: 5, settled: { ending: { kind: 'ran', release: 'unknown' }, atMs: 25_420 } },
        ran(9, PLAIN, 4, W2, 15, 45_500, { previous: { status: 'crashed', token: 14 } }),
      ),
    ],
    [
      'a started tick is called executed after a grant that nobody was told of in time',
      doctored(
        {
          ...skip(20, ONCE, 3, W1, 3_000, skipped('stale-tick', 12)),
          settled: { ending: skipped('locked', 12), atMs: 5_100 },
        },
        skip(21, ONCE, 3, W2, 3_900, skipped('already-executed', 20)),
      ),
    ],
    [
      'a job that comes to hosts ahead is blocked on DynamoDB',
      onDynamoDB({
        ...SOUND,
        writes: new Map(),
        deliveries: Array.from({ length: 30 }, (_tick, i) =>
          skip(i + 2, { ...PLAIN, comesToHostsAhead: true }, i, W1, i, { kind: 'skipped', reason: 'paused' }),
        ),
      }),
    ],
    [
      'a lock is left without a runner now and then',
      doctored(
        skip(20, PLAIN, 1, W1, 3_000, skipped('already-executed', 1)),
        skip(21, PLAIN, 2, W2, 3_100, skipped('locked', 20)),
        skip(22, PLAIN, 8, W1, 45_600, skipped('locked', 9, 16)),
      ),
    ],
  ])('%s', (_what, history) => {
    expect(brokenBy(history)).toEqual([]);
  });
});

test('a breach shows the piece of history behind it', () => {
  const [breach = ''] = SOAK_INVARIANTS.flatMap(
    ({ check }) => check(doctored(ran(20, PLAIN, 9, W2, 16, 45_600))).breaches,
  );

  expect(breach).toContain('two at work for 89 ms');
  expect(breach).toContain('#9 plain, tick 00:00:00, on w2, received @45500, granted token 15 @45510, began @45511');
  expect(breach).toContain('#20 plain');
});

test('the table counts what was done and what came of it', () => {
  const soak = { history: SOUND, seconds: 60.4, struck: new Map([['late', 3]]), violations: 0 };
  const rows = new Map(summaryTable([soak]).map((row) => row.split(/ {2,}/) as [string, string]));

  expect(Object.fromEntries(rows)).toMatchObject({
    seconds: '60',
    ticks: '12',
    deliveries: '15',
    grants: '9',
    'skipped: locked': '2',
    'told: UNAVAILABLE': '1',
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
