import type { Lease } from '../../core/ports/lock-store.js';
import { listOf } from '../../core/record/open-ticks.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectFields, expectGranted, expectSame } from './stage/expectation.js';
import { aheadBy, HOLD_MS, LEASE_MS } from './stage/scene.js';

const HOLD = { lockAtLeastForMs: HOLD_MS };
const FAILED = { result: 'failed' } as const;
const AT_START = { markTickAtStart: true };

/** Makes the `tickMs` of a claim for a tick that was due long before any run of a case, at this minute. */
const due = (minute: number) => ({ tickMs: Date.UTC(2020, 0, 1, 0, minute) });

/** Makes the `tickMs` of a claim for a tick that is due this many milliseconds after a run has begun. */
const after = ({ lockedAtMs }: Lease, ms: number) => ({ tickMs: lockedAtMs + ms });

/** Whom the `lockAtLeastFor` of a run keeps out, once that run has ended. */
export const holdCases: readonly ContractCase[] = [
  contractCase('row 4: a hold keeps out a tick that was due after the run began', async ({ run, refuse }) => {
    const lease = await run(due(0), HOLD);
    await refuse('lock-at-least-for', after(lease, 1));
    await refuse('lock-at-least-for', { ...after(lease, 1), ...AT_START });
    await refuse('lock-at-least-for', after(lease, HOLD_MS + 1));
  }),

  contractCase('row 162: a hold does not keep out a tick that was due when the run began', async (scene) => {
    const lease = await scene.run(due(0), HOLD);
    const claim = scene.claim(after(lease, 0));
    const granted = expectGranted(await scene.acquire(claim), 'acquire');
    expectFields(granted.previous, { status: 'succeeded', fencingToken: lease.fencingToken }, 'previous run');
    const again = expectGranted(await scene.acquire(claim), 'acquire sent again');
    expectSame(again.fencingToken, granted.fencingToken, 'token of the acquire sent again');
  }),

  contractCase(
    'row 162: a hold does not keep out a tick that was due when the run began, and is marked at its start',
    async ({ run, grant }) => {
      const lease = await run({ ...due(0), ...AT_START }, { ...HOLD, markTickDone: false });
      await grant({ ...after(lease, 0), ...AT_START });
    },
  ),

  contractCase('row 162: ticks that were due meanwhile run one after the other', async ({ run, refuse }) => {
    for (const minute of [0, 1, 2]) await run(due(minute), HOLD);
    await refuse('already-executed', due(2));
    await refuse('lock-at-least-for');
  }),

  adminCase('F160 row 162: each tick that an operator has listed runs, although each run has a hold', async (scene) => {
    const lease = await scene.run(due(9));
    const soon = after(lease, LEASE_MS);
    await scene.list({ openTicks: listOf([due(0).tickMs, due(1).tickMs]), failedTicks: listOf([soon.tickMs]) });
    for (const listed of [due(0), due(1), soon]) await scene.run(listed, HOLD);
    await scene.refuse('stale-tick', due(0));
    await scene.refuse('already-executed', soon);
  }),

  contractCase(
    'row 162: a hold does not keep out a failed tick, even one that was due after the run began',
    async (scene) => {
      const lease = await scene.run(due(0));
      await scene.run(after(lease, LEASE_MS), FAILED);
      await scene.run(due(1), HOLD);
      await scene.refuse('lock-at-least-for', after(lease, LEASE_MS - 1));
      await scene.refuse('lock-at-least-for', after(lease, LEASE_MS + 1));
      await scene.grant(after(lease, LEASE_MS));
    },
  ),

  contractCase('row 162: nor a failed tick that is marked at its start', async ({ run, grant }) => {
    const lease = await run(due(0));
    await run(after(lease, LEASE_MS), FAILED);
    await run(due(1), HOLD);
    await grant({ ...after(lease, LEASE_MS), ...AT_START });
  }),

  contractCase('row 162: nor an open tick older than the newest tick done', async ({ run, grant }) => {
    const lease = await run(due(0));
    await run(after(lease, LEASE_MS), FAILED);
    await run(after(lease, 2 * LEASE_MS), HOLD);
    await grant(after(lease, LEASE_MS));
  }),

  contractCase('row 162: an owed tick is granted to a host whose clock is behind the release', async (scene) => {
    const { store } = scene.harness;
    const ahead = () => aheadBy(3_600_000, scene.harness.call());
    const lease = expectGranted(await store.acquire(scene.claim(due(0)), ahead()), 'acquire');
    const completion = { result: 'succeeded', markTickDone: true, durationMs: 5, ...HOLD } as const;
    expectSame(await store.release(lease, completion, ahead()), 'released', 'release');
    await scene.refuse('lock-at-least-for');
    await scene.refuse('lock-at-least-for', after(lease, 1));
    await scene.run(due(1));
    await scene.grant();
  }),

  contractCase('F161 row 163: the hold of a run without a tick keeps out calls without a tick only', async (scene) => {
    const lease = await scene.run({}, HOLD);
    await scene.refuse('lock-at-least-for');
    await scene.grant(after(lease, 1));
  }),

  contractCase('F161 row 163: also after runs with a tick, for a tick marked at its start', async ({ run, grant }) => {
    await run(due(0));
    const lease = await run({}, HOLD);
    await grant({ ...after(lease, 1), ...AT_START });
  }),

  contractCase('row 163: the hold of a run with a tick keeps out a call without a tick', async ({ run, refuse }) => {
    await run(due(0), HOLD);
    await refuse('lock-at-least-for');
  }),

  contractCase('row 164: the hold of a failed run keeps out every tick', async ({ run, refuse }) => {
    const lease = await run(due(1));
    await run(due(2), FAILED);
    await run(due(4));
    await run(due(5), { ...FAILED, ...HOLD });
    for (const claim of [due(2), due(5), due(6), after(lease, 1), {}]) await refuse('lock-at-least-for', claim);
  }),

  contractCase('row 164: and so does the hold of a failed run without a tick', async ({ run, refuse }) => {
    await run(due(1));
    await run({}, { ...FAILED, ...HOLD });
    for (const claim of [due(2), {}]) await refuse('lock-at-least-for', claim);
  }),

  contractCase('a run that a hold has let through ends that hold with its own release', async (scene) => {
    await scene.run(due(0), HOLD);
    const lease = await scene.grant(due(1));
    await scene.refuse('locked', due(2));
    await scene.release(lease, FAILED);
    await scene.run(after(lease, 1), HOLD);
    await scene.refuse('lock-at-least-for');
  }),

  adminCase('a pause keeps out an owed tick too', async ({ run, pause, refuse, harness }) => {
    await run(due(0), HOLD);
    await pause(harness.call().clock.now() + LEASE_MS);
    await refuse('paused', due(1));
  }),
];
