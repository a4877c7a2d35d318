import { setTimeout as sleep } from 'node:timers/promises';
import type { LockAdmin } from 'single-execution/admin';
import { attemptOf, verbOf } from '../test/support/lock-verb.js';
import type { Random } from '../test/support/play/random.js';
import { deliver } from './delivery.js';
import type { Worker } from './fleet.js';
import type { History, Invocation } from './history.js';
import type { Job } from './jobs.js';

/*
 * The situations of an evening. Each is played on the next ticks of one job by its two workers, and says nothing of how
 * it ought to end: that is what the invariants are for.
 */

/** What a situation is played with. */
export interface Scene {
  readonly job: Job;
  readonly random: Random;
  readonly one: Worker;
  readonly other: Worker;
  readonly admin: LockAdmin;
  readonly history: History;
  /** The next tick of the job's schedule. */
  nextTick(): number;
  /** Shows something that was done to the job from outside. */
  show(what: string): void;
}

type Situation = (scene: Scene) => Promise<unknown>;

/** What Lambda leaves a run that is to die, so that its lease is short. */
const CRASHING_MS = 1_500;
const BREAKDOWN = { kind: 'error', at: 'before', status: 400, type: 'ValidationException' } as const;

export const SITUATIONS: Readonly<Record<string, Situation>> = {
  /** The scheduler delivers one tick to both workers at once. */
  async 'on time'(scene) {
    const tickMs = scene.nextTick();
    const late = sleep(scene.random.whole(0, 40)).then(() => deliver(scene, scene.other, { tickMs }));
    await Promise.all([deliver(scene, scene.one, { tickMs }), late]);
  },

  /** The same tick again, when its run is long over. */
  async duplicate(scene) {
    const tickMs = scene.nextTick();
    await deliver(scene, scene.one, { tickMs });
    await sleep(scene.random.whole(100, 600));
    await deliver(scene, scene.other, { tickMs, as: 'delivered again' });
  },

  /** A run that takes longer than the schedule's interval: the next tick comes while it is at work. */
  async overrun(scene) {
    const running = await atWork(scene, scene.random.whole(700, 1_200), { tickMs: scene.nextTick(), as: 'overran' });
    await deliver(scene, scene.other, { tickMs: scene.nextTick() });
    await running.end;
  },

  /** A run fails, and the platform tries again: the same event under the same request id. At most once skips it. */
  async failure(scene) {
    const tickMs = scene.nextTick();
    void scene.one.strike(BREAKDOWN);
    const first = await deliver(scene, scene.one, { tickMs });
    await sleep(scene.random.whole(50, 300));
    await deliver(scene, scene.other, { tickMs, retryOf: first });
  },

  /** A worker dies at work. The retry and the next tick are refused; the first tick after its lease takes over. */
  async crash(scene) {
    const tickMs = scene.nextTick();
    const dead = await die(scene, tickMs);
    await deliver(scene, scene.other, { tickMs, retryOf: dead });
    await deliver(scene, scene.other, { tickMs: scene.nextTick() });
    await takeOver(scene, dead, { tickMs: scene.nextTick() });
  },

  /** The answer to the acquire is lost on its way back; the lock was granted. */
  async 'lost answer'(scene) {
    let isLost = false;
    scene.one.database.inject(
      { kind: 'reset', at: 'after' },
      {
        when: ({ body }) => verbOf(body) === 'acquire' && attemptOf(body) !== undefined,
        async meanwhile() {
          isLost = true;
          scene.show('the network loses the answer to an acquire');
        },
      },
    );
    const { id, job } = await deliver(scene, scene.one, { tickMs: scene.nextTick() });
    if (isLost) scene.history.incidents.push({ kind: 'answer-lost', invocation: id, job });
  },

  /** A tick that was held up arrives after the one that followed it. */
  async 'stale tick'(scene) {
    const older = scene.nextTick();
    await deliver(scene, scene.one, { tickMs: scene.nextTick() });
    await deliver(scene, scene.other, { tickMs: older, as: 'arrives late' });
  },

  /** An operator pauses the job for a tick, without a deployment. */
  async pause(scene) {
    const { admin, history, job } = scene;
    await admin.pause(job.name, { by: 'operator of the demo' });
    const fromMs = performance.now();
    scene.show('an operator pauses the job');
    await deliver(scene, scene.one, { tickMs: scene.nextTick() });
    history.incidents.push({ kind: 'paused', job: job.name, fromMs, toMs: performance.now() });
    await admin.resume(job.name);
    scene.show('the operator resumes it');
    await deliver(scene, scene.one, { tickMs: scene.nextTick() });
  },
};

/** For the report, which makes up for what was missed. */
export const NIGHTS: Readonly<Record<string, Situation>> = {
  ...SITUATIONS,

  'started by hand': (scene) => deliver(scene, scene.one, {}),

  /** The schedule leaves a night out. The next one, delivered twice, makes up for it. */
  async 'night left out'(scene) {
    scene.history.incidents.push({ kind: 'left-out', job: scene.job.name, tickMs: scene.nextTick() });
    const delivery = { tickMs: scene.nextTick(), as: 'after a night left out' };
    await Promise.all([deliver(scene, scene.one, delivery), deliver(scene, scene.other, delivery)]);
  },
};

type Delivery = Parameters<typeof deliver>[2];

/** Delivers to the first worker, whose work is slow. @returns when it is seen at work, or has ended without */
async function atWork(scene: Scene, ms: number, delivery: Delivery): Promise<{ readonly end: Promise<Invocation> }> {
  const begun = scene.one.strike({ kind: 'delay', ms });
  const end = deliver(scene, scene.one, delivery);
  await Promise.race([begun, end]);
  return { end };
}

/** Kills the first worker as soon as it is seen at work. */
async function die(scene: Scene, tickMs: number): Promise<Invocation> {
  const running = await atWork(scene, 30_000, { tickMs, remainingMs: CRASHING_MS });
  scene.one.kill();
  return running.end;
}

/** Waits until the lease of the dead is over, delivers an event, and notes whether the crash has become known. */
async function takeOver(scene: Scene, dead: Invocation, delivery: Delivery): Promise<void> {
  const { admin, job, history, other } = scene;
  const left = await admin.get(job.name);
  await untilFree(scene);
  const { isToldOfCrash } = await deliver(scene, other, delivery);
  // On a very slow machine a run may have ended before it was killed.
  if (left?.fencingToken === undefined || left.state === 'free' || dead.ending.kind !== 'killed') return;
  const runs = await admin.runs(job.name);
  const token = left.fencingToken;
  const recorded = runs.some(({ status, fencingToken }) => status === 'crashed' && fencingToken === token);
  history.crashes.push({ job: job.name, token, recorded, told: isToldOfCrash });
}

/** Waits until the job's lock is free. A Date header names the second that has begun. */
export async function untilFree({ admin, job }: Scene): Promise<void> {
  const record = await admin.get(job.name);
  await sleep(Math.max(0, Number(record?.lockUntil ?? 0) + 1_050 - Date.now()));
}
