import { runsOf } from '../../core/record/run-ring.js';
import { BY_HAND, newAttemptId } from '../../core/values/names.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectBetween, expectFields, expectRising, expectSame } from './stage/expectation.js';
import { LEASE_MS, NEXT_TICK_MS, type Scene, TICK_MS } from './stage/scene.js';

export const recordCases: readonly ContractCase[] = [
  adminCase('a grant is recorded with its holder, its times and its tick', async ({ claim, harness, record }) => {
    const { name, ...asked } = claim({ tickMs: TICK_MS, lockedBy: 'the holder' });
    const result = await harness.store.acquire({ name, ...asked }, harness.call());
    const {
      lockedAtMs: lockedAt,
      lockUntilMs: lockUntil,
      fencingToken,
    } = result.status === 'acquired' ? result.lease : {};
    const { attemptId, leaseMs, lockedBy, tickMs: tick } = asked;
    const expected = { attemptId, leaseMs, lockedBy, tick, state: 'held', lockedAt, lockUntil, fencingToken, v: 1 };
    expectFields<object>(await record(), { ...expected, doneTick: undefined, result: undefined }, 'record');
  }),

  adminCase('a grant without a tick removes the tick of the one before', async ({ run, grant, record }) => {
    await run({ tickMs: TICK_MS });
    await grant();
    expectFields(await record(), { tick: undefined, doneTick: TICK_MS }, 'record');
  }),

  adminCase(
    'a grant with a tick records the schedule of its job, in place of an older one',
    async ({ run, record }) => {
      await run({ tickMs: TICK_MS, schedule: '0 9 * * *' });
      expectFields(await record(), { schedule: '0 9 * * *' }, 'record');
      await run({ tickMs: NEXT_TICK_MS, schedule: '0 8 * * * in Europe/Berlin' });
      expectFields(await record(), { schedule: '0 8 * * * in Europe/Berlin' }, 'record');
    },
  ),

  adminCase('a grant with a tick and without a schedule removes the schedule', async ({ run, record }) => {
    await run({ tickMs: TICK_MS, schedule: '0 9 * * *' });
    await run({ tickMs: NEXT_TICK_MS });
    expectFields(await record(), { schedule: undefined, doneTick: NEXT_TICK_MS }, 'record');
  }),

  adminCase('a grant without a tick leaves the schedule', async ({ run, grant, record }) => {
    await run({ tickMs: TICK_MS, schedule: '0 9 * * *' });
    await grant({ schedule: '0 8 * * *' });
    expectFields(await record(), { schedule: '0 9 * * *', tick: undefined }, 'record');
  }),

  adminCase('F52 a release keeps the record and writes how the run ended', async ({ run, record }) => {
    const { fencingToken, lockedAtMs } = await run({ tickMs: TICK_MS });
    const stored = await record();
    expectFields(stored, { state: 'released', result: 'succeeded', doneTick: TICK_MS, fencingToken }, 'record');
    expectBetween(stored?.releasedAt, lockedAtMs, lockedAtMs + LEASE_MS, 'releasedAt');
    expectSame(stored?.lockUntil, stored?.releasedAt, 'lockUntil, which fences off acquires sent before the release,');
  }),

  adminCase('a hold never ends before the release', async ({ run, record }) => {
    await run({}, { lockAtLeastForMs: 1 });
    const { releasedAt = Number.NaN, lockUntil } = (await record()) ?? {};
    expectBetween(lockUntil, releasedAt, releasedAt + 1, 'lockUntil');
  }),

  adminCase('a hold that is over before the release ends with it', async ({ grantAndDie, release, record }) => {
    await release(await grantAndDie(), { lockAtLeastForMs: 1 });
    const { releasedAt = Number.NaN, lockUntil } = (await record()) ?? {};
    expectSame(lockUntil, releasedAt, 'lockUntil');
  }),

  adminCase('the error of a failed run is recorded by its name', async ({ run, record }) => {
    await run({}, { result: 'failed', error: 'RangeError' });
    expectFields(await record(), { result: 'failed', error: 'RangeError', doneTick: undefined }, 'record');
  }),

  adminCase('F88 an error name takes at most 64 bytes', async ({ run, record }) => {
    await run({}, { result: 'failed', error: 'Ü'.repeat(100) });
    expectSame((await record())?.error, 'Ü'.repeat(32), 'error');
  }),

  adminCase('row 48: a run is recorded with its tick, start, duration and token', async ({ run, record }) => {
    const { lockedAtMs, fencingToken } = await run({ tickMs: TICK_MS }, { durationMs: 1_234 });
    const rows = runsOf((await record()) ?? {});
    expectSame(rows.length, 1, 'rows');
    const row = { status: 'succeeded', tickMs: TICK_MS, lockedAtMs, durationMs: 1_234, fencingToken } as const;
    expectFields(rows[0], row, 'row');
  }),

  adminCase('row 48: a failed run without a tick is recorded', async ({ run, record }) => {
    const { fencingToken } = await run({}, { result: 'failed' });
    const [row] = runsOf((await record()) ?? {});
    expectFields(row, { status: 'failed', tickMs: undefined, durationMs: 5, fencingToken }, 'row');
  }),

  adminCase(
    'row 28: a crashed run is recorded by the release of its successor',
    async ({ grantAndDie, run, record }) => {
      const { fencingToken, lockedAtMs } = await grantAndDie({ tickMs: TICK_MS });
      const successor = await run({ tickMs: NEXT_TICK_MS });
      const rows = runsOf((await record()) ?? {});
      expectSame(rows.length, 2, 'rows');
      expectFields(rows[0], { status: 'succeeded', fencingToken: successor.fencingToken }, 'newest row');
      const crashed = { status: 'crashed', tickMs: TICK_MS, lockedAtMs, durationMs: undefined, fencingToken } as const;
      expectFields(rows[1], crashed, 'row of the crash');
    },
  ),

  adminCase('row 48: the ten newest runs are kept, newest first', async ({ run, record }) => {
    const tokens: number[] = [];
    for (let n = 0; n < 13; n++) tokens.unshift((await run()).fencingToken);
    const kept = runsOf((await record()) ?? {}).map(({ fencingToken }) => fencingToken);
    expectSame(kept.join(), tokens.slice(0, 10).join(), 'tokens of the rows');
    expectRising(kept.toReversed(), 'tokens of the rows');
  }),

  adminCase('row 48: the ten newest runs are kept, whether they crashed or not', async (scene) => {
    await scene.grantAndDie();
    const tokens: number[] = [];
    for (let n = 0; n < 10; n++) tokens.unshift((await scene.run()).fencingToken);
    const kept = runsOf((await scene.record()) ?? {}).map(({ fencingToken }) => fencingToken);
    expectSame(kept.join(), tokens.join(), 'tokens of the rows');
  }),

  adminCase('F88 a record does not grow with the number of runs', async ({ run, grantAndDie, record }) => {
    let tickMs = TICK_MS;
    await run({ tickMs: tickMs++ });
    const twelveRuns = async () => {
      for (let n = 0; n < 10; n++) await run({ tickMs: tickMs++ }, { result: 'failed', error: 'TypeError' });
      await run({ tickMs: tickMs++ });
      await grantAndDie({ tickMs: tickMs++ });
      const { openTicks = '', failedTicks = '', ...others } = (await record()) ?? {};
      return [Object.keys(others).length, openTicks.length, failedTicks.length].join();
    };
    const before = await twelveRuns();
    expectSame(await twelveRuns(), before, 'attributes, and lengths of lists, after twelve more runs');
  }),

  contractCase(
    'F22 attributes of a later version survive every verb',
    async ({ run, patch, grant, extend, mark, force, pause, resume, record }) => {
      await run();
      await patch({ laterVersion: 'kept' });
      await run({ tickMs: TICK_MS }, { result: 'failed', error: 'TypeError' });
      await pause(Date.UTC(2026, 0, 1));
      await resume();
      const lease = await grant();
      await extend(lease, 2 * LEASE_MS);
      await mark(lease, { tickMs: NEXT_TICK_MS });
      await force(lease);
      await run();
      expectFields<object>(await record(), { laterVersion: 'kept' }, 'record');
    },
    ['admin', 'patch'],
  ),

  adminCase('row 179: a read and a list report the time of the store, if it reports its time', async (scene) => {
    const { name, admin, harness, run } = scene;
    const { lockedAtMs } = await run();
    const times = [
      (await admin.get(name, harness.call()))?.readMs,
      (await admin.list(harness.call())).find((lock) => lock.name === name)?.readMs,
      (await admin.get(name, harness.call()))?.readMs,
    ].filter((ms) => ms !== undefined);
    // A clock in whole seconds, such as that of an HTTP header, can be behind the instants of the record.
    const earliest = [lockedAtMs - 2_000, ...times];
    times.forEach(
      (ms, i) => void expectBetween(ms, Number(earliest[i]), lockedAtMs + LEASE_MS, `time of read ${i + 1}`),
    );
  }),

  adminCase('the history shows how many ticks a run has caught up with', async ({ run, record }) => {
    await run({ tickMs: TICK_MS });
    await run({ tickMs: NEXT_TICK_MS }, { caughtUp: 2 });
    const [newest, first] = runsOf((await record()) ?? {});
    expectFields(newest, { caughtUp: 2 }, 'newest run');
    expectFields(first, { caughtUp: undefined }, 'first run');
  }),
];

const TICK = { tickMs: TICK_MS };
const NEXT = { tickMs: NEXT_TICK_MS };

/** Makes the part of a claim that makes it a run by hand. */
const byHand = () => ({ attemptId: newAttemptId(BY_HAND) });

/** Reads the runs in the history of a lock, newest first. */
const runs = async ({ record }: Scene) => runsOf((await record()) ?? {});

/** Checks that the record has this tick as the newest one done, and no list of ticks. */
async function expectTicks({ record }: Scene, doneTick: number | undefined): Promise<void> {
  expectFields(await record(), { doneTick, openTicks: undefined, failedTicks: undefined }, 'record');
}

/** How a run by hand, whose attempt id shows that it is one, differs from other runs without a tick. */
export const byHandCases: readonly ContractCase[] = [
  adminCase('row 190: a run by hand is recorded as one, whether it succeeds or fails', async (scene) => {
    await scene.run();
    await scene.run(byHand());
    await scene.run(byHand(), { result: 'failed' });
    await scene.run(TICK);
    const [scheduled, failed, succeeded, untimed] = await runs(scene);
    expectFields(scheduled, { isManual: undefined, tickMs: TICK_MS }, 'run of a tick');
    expectFields(failed, { status: 'failed', isManual: true, tickMs: undefined }, 'run by hand that failed');
    expectFields(succeeded, { status: 'succeeded', isManual: true, tickMs: undefined }, 'run by hand');
    expectFields(untimed, { isManual: undefined, tickMs: undefined }, 'run without a tick');
  }),

  adminCase('row 190: a run by hand marks no tick, and is not refused because a tick is done', async (scene) => {
    await scene.run(TICK);
    await scene.run({ ...byHand(), markTickAtStart: true });
    await expectTicks(scene, TICK_MS);
    await scene.refuse('already-executed', TICK);
    await scene.run(NEXT);
  }),

  adminCase('row 194: a run by hand that fails opens no tick', async (scene) => {
    await scene.run(TICK);
    await scene.run(byHand(), { result: 'failed', markTickFailed: false });
    await expectTicks(scene, TICK_MS);
  }),

  adminCase(
    'F181 row 194: a run by hand that crashed is recorded by its successor, and opens no tick',
    async (scene) => {
      await scene.run(TICK);
      const { fencingToken } = await scene.grantAndDie(byHand());
      const { previous } = await scene.run(NEXT);
      expectFields(previous, { status: 'crashed', isManual: true, tickMs: undefined, fencingToken }, 'previous run');
      const [, crashed] = await runs(scene);
      expectFields(crashed, { status: 'crashed', isManual: true, tickMs: undefined, fencingToken }, 'row of the crash');
      await expectTicks(scene, NEXT_TICK_MS);
    },
  ),

  adminCase('row 194: a run by hand records the tick of the run that crashed before it', async (scene) => {
    await scene.run(TICK);
    await scene.grantAndDie(NEXT);
    const { previous, failedTicksMs = [] } = await scene.run(byHand());
    expectFields(previous, { status: 'crashed', isManual: undefined, tickMs: NEXT_TICK_MS }, 'previous run');
    expectSame(failedTicksMs.join(), String(NEXT_TICK_MS), 'failed ticks');
    const [, crashed] = await runs(scene);
    expectFields(crashed, { status: 'crashed', isManual: undefined, tickMs: NEXT_TICK_MS }, 'row of the crash');
    await scene.run(NEXT);
  }),

  adminCase('F181 row 194: a run by hand that was forced is recorded as one, and opens no tick', async (scene) => {
    await scene.run(TICK);
    const { fencingToken, ...lease } = await scene.grant(byHand());
    await scene.force({ ...lease, fencingToken });
    const [forced] = await runs(scene);
    expectFields(forced, { status: 'forced', isManual: true, tickMs: undefined, fencingToken }, 'row');
    await expectTicks(scene, TICK_MS);
  }),
];
