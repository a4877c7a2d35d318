import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from 'single-execution';
import { lambdaContext, scheduledEvent } from 'single-execution/testing';
import { newAttemptId } from '../../src/core/values/names.js';
import { hurriedClock, pass, shiftedClock } from '../support/clocks.js';
import { patientCall, storeCall } from '../support/contract-harness.js';
import { ANOTHER } from './record-text.js';
import { NAME, type Scene } from './stage.js';

/** What a caller asks for, and what must happen before. */
export interface Operation {
  /** Prepares the lock, past the proxy. */
  readonly before?: (scene: Scene) => Promise<unknown>;
  /**
   * @param patience how much time there is for all tries: little if every try fails
   * @param task runs under the lock, if the operation runs anything
   */
  readonly ask: (scene: Scene, patience: Patience, task: () => void) => Promise<Told>;
  /** Timeout of a try. @default TRY_MS */
  readonly tryMs?: number;
  /** The time that all tries may take if every try of the struck verb fails, from its budgets. */
  readonly everMs: number;
}

export type Patience = 'enough' | 'little';

export interface Told {
  readonly text: string;
  readonly fencingToken?: number;
}

/** Timeout of a try of a lock's verb: src/core/run/deadlines.ts. */
export const TRY_MS = 1_000;
/**
 * The time until the deadline with little patience. Half of it is the budget of an acquire, and a quarter the budget of
 * its cancel. A cancel needs it: the wire sees it only after the client has closed the connection that is dead.
 */
const DEADLINE_MS = 4_000;
const ACQUIRE_MS = DEADLINE_MS / 2 + DEADLINE_MS / 4;
const RELEASE_MS = 2_000;
const CANCEL_MS = 2_000;
const SHORT_LEASE_MS = 3_000;
const CHECK_IN_MS = 2_000;
const MARK_MS = 2_000;
/**
 * An operator's call allows 5 s for a try and 15 s for all tries: src/admin/lock-admin.ts. Here these times are five
 * times shorter.
 */
const HURRY = 5;
const HURRIED = { tryMs: 5_000 / HURRY, everMs: 15_000 / HURRY };

/** A whole second in the past, the same for all cases. */
const TICK = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;

const call = () => storeCall(shiftedClock(0));
/** For what is prepared past all faults, however slow the machine is. */
const patient = () => patientCall(shiftedClock(0));

function toldOf(outcome: Outcome<unknown>): Told {
  if (outcome.status === 'skipped') return { text: `skipped: ${outcome.reason}` };
  const { release, fencingToken } = outcome;
  return { text: release === 'released' ? 'runs' : `runs, release ${release}`, fencingToken };
}

/** A run with this much time until its deadline, or with none. */
async function run({ library, store }: Scene, task: () => unknown, withinMs?: number): Promise<Told> {
  const deadline = withinMs === undefined ? {} : { deadline: Date.now() + withinMs };
  const options = { name: NAME, store, lockAtMostFor: '20s', tick: TICK, observers: [], ...deadline };
  return toldOf(await library.executeWithLock(task, options));
}

const acquire: Operation['ask'] = (scene, patience, task) =>
  run(scene, task, patience === 'little' ? DEADLINE_MS : undefined);
const releaseWithin = (patience: Patience) => (patience === 'little' ? RELEASE_MS : undefined);

async function runAnother({ direct }: Scene, tickMs: number): Promise<void> {
  const lease = await hold(direct, { tickMs });
  const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 1 } as const;
  await direct.store.release(lease, completion, patient());
}

async function hold(
  { store }: Pick<Scene['direct'], 'store'>,
  {
    tickMs,
    leaseMs = 20_000,
    clock = shiftedClock(0),
    lockedBy = ANOTHER,
  }: { tickMs?: number; leaseMs?: number; clock?: ReturnType<typeof shiftedClock>; lockedBy?: string } = {},
) {
  const claim = { name: NAME, attemptId: newAttemptId(), leaseMs, lockedBy, markTickAtStart: false };
  const result = await store.acquire(tickMs === undefined ? claim : { ...claim, tickMs }, { ...patient(), clock });
  if (result.status === 'refused') throw new Error(`the lock was not free: ${result.reason}`);
  return result.lease;
}

/**
 * Leaves a lock whose lease is over by the clock that decides: on Redis the server's, elsewhere the clock of the claim.
 */
async function dieHolding({ direct }: Scene): Promise<void> {
  const clock = shiftedClock(-60_000);
  await hold(direct, { leaseMs: 20, clock });
  await pass(clock, 25);
  // The clock of a store can have whole seconds.
  for (;;) {
    const { item = {}, readMs = Number.POSITIVE_INFINITY } = (await direct.admin.get(NAME, patientCall(clock))) ?? {};
    if (readMs >= Number(item['lockUntil'])) return;
    await sleep(20);
  }
}

const adminOf = ({ library, admin }: Scene) => library.lockAdmin(admin, { clock: hurriedClock(HURRY) });

export const OPERATIONS = {
  // `list` comes first, because it reads every lock that other operations leave in the table.
  list: {
    before: ({ direct }) => hold(direct),
    ask: async (scene) => ({ text: `${(await adminOf(scene).list()).map(({ name }) => name)}` }),
    ...HURRIED,
  },

  'acquire, never held': { ask: acquire, everMs: ACQUIRE_MS },

  'acquire, given back': {
    before: (scene) => runAnother(scene, TICK - 60_000),
    async ask({ library, store }, patience, task) {
      const handler = library.withSingleExecution(task, { name: NAME, store, observers: [] });
      const remainingMs = patience === 'little' ? DEADLINE_MS : 60_000;
      const value = await handler(scheduledEvent({ time: TICK }), lambdaContext({ remainingMs }));
      return { text: value === undefined ? 'runs' : JSON.stringify(value) };
    },
    everMs: ACQUIRE_MS,
  },

  'acquire, locked': {
    before: ({ direct }) => hold(direct),
    ask: acquire,
    everMs: ACQUIRE_MS,
  },

  'acquire, tick done': { before: (scene) => runAnother(scene, TICK), ask: acquire, everMs: ACQUIRE_MS },

  takeover: { before: dieHolding, ask: acquire, everMs: ACQUIRE_MS },

  cancel: {
    async ask(scene, _, task) {
      const isAcquire = ({ verb }: { readonly verb: string }) => verb === 'acquire';
      // The lock was free when the lost request was sent.
      scene.wire.inject({ kind: 'reset', at: 'before' }, { on: isAcquire, meanwhile: () => hold(scene.direct) });
      return run(scene, task);
    },
    everMs: CANCEL_MS,
  },

  extend: {
    async ask({ library, store }, patience) {
      const lockAtMostFor = patience === 'little' ? SHORT_LEASE_MS : '20s';
      const lock = await library.acquireLock({ name: NAME, store, lockAtMostFor, observers: [] });
      await lock.extend('60s');
      return { text: 'extended', fencingToken: lock.fencingToken };
    },
    everMs: SHORT_LEASE_MS,
  },

  mark: {
    async ask({ store }, patience) {
      const lease = await hold({ store }, { tickMs: TICK, lockedBy: 'ours' });
      const budgetMs = patience === 'little' ? MARK_MS : 5_000;
      const done = { tickMs: TICK - 60_000, leaseMs: 60_000 };
      const { status } = await store.mark(lease, done, { ...call(), budgetMs });
      return { text: status, fencingToken: lease.fencingToken };
    },
    everMs: MARK_MS,
  },

  release: { ask: (scene, patience, task) => run(scene, task, releaseWithin(patience)), everMs: RELEASE_MS },

  'release, lost': {
    ask: (scene, patience, task) => {
      const loseTheLock = async () => {
        task();
        const { fencingToken } = await holdSeen(scene);
        const { library, direct } = scene;
        await library.lockAdmin(direct.admin).forceRelease(NAME, { fencingToken });
      };
      return run(scene, loseTheLock, releaseWithin(patience));
    },
    everMs: RELEASE_MS,
  },

  get: {
    before: ({ direct }) => hold(direct),
    ask: async (scene) => ({ text: `${(await adminOf(scene).get(NAME))?.state}` }),
    ...HURRIED,
  },

  forceRelease: {
    before: ({ direct }) => hold(direct),
    async ask(scene) {
      const { fencingToken } = await holdSeen(scene);
      return { text: (await adminOf(scene).forceRelease(NAME, { fencingToken })).status };
    },
    ...HURRIED,
  },

  pause: {
    ask: async (scene) => ({ text: (await adminOf(scene).pause(NAME)).state }),
    ...HURRIED,
  },

  resume: {
    before: ({ direct }) => direct.admin.pause(NAME, { untilMs: 8.64e15, by: ANOTHER }, patient()),
    ask: async (scene) => ({ text: await adminOf(scene).resume(NAME) }),
    ...HURRIED,
  },

  delete: {
    before: (scene) => runAnother(scene, TICK),
    async ask(scene) {
      const { fencingToken } = await holdSeen(scene);
      return { text: await adminOf(scene).delete(NAME, { fencingToken }) };
    },
    ...HURRIED,
  },

  backfill: {
    before: (scene) => runAnother(scene, TICK),
    async ask(scene) {
      const [gap] = await adminOf(scene).backfill(NAME, { from: TICK - 60_000, to: TICK, schedule: 60_000 });
      return { text: gap?.getTime() === TICK - 60_000 ? 'listed' : 'no gap' };
    },
    ...HURRIED,
  },

  'check-in': {
    before: ({ direct }) => direct.store.checkIn({ group: NAME, member: 'first', forget: [] }, patient()),
    async ask({ store }, patience) {
      const budgetMs = patience === 'little' ? CHECK_IN_MS : 5_000;
      const { members } = await store.checkIn({ group: NAME, member: 'second', forget: [] }, { ...call(), budgetMs });
      return {
        text: members
          .map(({ name }) => name)
          .sort()
          .join(', '),
      };
    },
    everMs: CHECK_IN_MS,
  },
} as const satisfies Readonly<Record<string, Operation>>;

export type OperationName = keyof typeof OPERATIONS;

async function holdSeen({ direct }: Scene) {
  const fencingToken = Number((await direct.admin.get(NAME, patient()))?.item['fencingToken']);
  return { fencingToken };
}
