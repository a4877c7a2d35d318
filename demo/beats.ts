import { setTimeout as sleep } from 'node:timers/promises';
import type { LockAdmin, LockInfo } from 'single-execution/admin';
import { attemptOf, verbOf } from '../test/support/lock-verb.js';
import type { Random } from '../test/support/play/random.js';
import { type Delivery, deliver } from './delivery.js';
import type { Fleet, Worker } from './fleet.js';
import type { Invocation } from './history.js';
import type { Job } from './job.js';
import type { Recorder } from './recorder.js';
import type { Timeline } from './timeline.js';

/*
 * The situations of an evening. Each is played on the next ticks of one job, with workers of its own, and says nothing
 * of how it ought to end: that is what the invariants are for.
 */

/** What a beat is played with. */
export interface Scene {
  readonly job: Job;
  readonly random: Random;
  readonly fleet: Fleet;
  readonly admin: LockAdmin;
  readonly recorder: Recorder;
  readonly timeline: Timeline;
  /** The next tick of the job's schedule. */
  nextTick(): number;
}

export type Beat = (scene: Scene) => Promise<void>;

/** For any job whose lock is free between its runs. */
export const BEATS: Readonly<Record<string, Beat>> = {
  'on time': onTime,
  duplicate,
  overrun,
  failure,
  crash,
  'lost answer': lostAnswer,
  'stale tick': staleTick,
  pause,
};

/** How long the longest beat takes: a crash, until the lease of the dead is over. */
export const LONGEST_BEAT_MS = 7_500;
const CRASHING_MS = 1_500;

export const give = ({ job, recorder, timeline }: Scene, worker: Worker, delivery: Delivery): Promise<Invocation> =>
  deliver(job, worker, delivery, recorder, timeline);

/** The scheduler delivers one tick to several workers at once. */
async function onTime(scene: Scene): Promise<void> {
  const tickMs = scene.nextTick();
  await scene.fleet.lend(scene.random.whole(2, 3), (workers) =>
    Promise.all(
      workers.map(async (worker, i) => {
        if (i > 0) await sleep(scene.random.whole(0, 40));
        await give(scene, worker, { tickMs });
      }),
    ),
  );
}

/** The same tick again, when its run is long over. */
async function duplicate(scene: Scene): Promise<void> {
  const tickMs = scene.nextTick();
  await scene.fleet.lend(2, async ([one, other]) => {
    if (!one || !other) return;
    await give(scene, one, { tickMs });
    await sleep(scene.random.whole(100, 600));
    await give(scene, other, { tickMs, as: 'delivered again' });
    if (scene.random.chance(0.5)) await give(scene, one, { tickMs, as: 'and again' });
  });
}

/** A run that takes longer than the schedule's interval: the next tick comes while it is at work. */
async function overrun(scene: Scene): Promise<void> {
  const first = scene.nextTick();
  const second = scene.nextTick();
  await scene.fleet.lend(2, async ([one, other]) => {
    if (!one || !other) return;
    scene.job.slow(one.station, scene.random.whole(700, 1_200));
    const running = give(scene, one, { tickMs: first, as: 'overran' });
    await begun(scene.job, one, running);
    await give(scene, other, { tickMs: second });
    await running;
  });
}

/** A run that fails, and is retried by the platform: the same event under the same request id. With at most once it is skipped. */
async function failure(scene: Scene): Promise<void> {
  const tickMs = scene.nextTick();
  await scene.fleet.lend(2, async ([one, other]) => {
    if (!one || !other) return;
    scene.job.breakDown(one.station);
    const { requestId } = await give(scene, one, { tickMs });
    await sleep(scene.random.whole(50, 300));
    await give(scene, other, { tickMs, requestId, as: 'retry' });
  });
}

/** A worker dies at work. The retry and the next tick are refused; the first tick after its lease takes over. */
async function crash(scene: Scene): Promise<void> {
  const tickMs = scene.nextTick();
  const dead = await die(scene, { tickMs, remainingMs: CRASHING_MS }, async (other, { requestId }) => {
    await give(scene, other, { tickMs, requestId, as: 'retry' });
    await give(scene, other, { tickMs: scene.nextTick() });
  });
  await takeOver(scene, dead, { tickMs: scene.nextTick() });
}

/** Kills a worker as soon as it is seen at work. @param then what another worker is given right after that */
export async function die(
  scene: Scene,
  delivery: Delivery,
  then: (other: Worker, dead: Invocation) => Promise<unknown>,
): Promise<Invocation> {
  return scene.fleet.lend(2, async ([one, other]) => {
    if (!one || !other) throw new Error('two workers were asked for');
    scene.job.slow(one.station, 30_000);
    const running = give(scene, one, delivery);
    await begun(scene.job, one, running);
    one.kill();
    const dead = await running;
    await then(other, dead);
    return dead;
  });
}

/** Waits until the lease of the dead is over, delivers an event, and looks whether the crash has become known. */
export async function takeOver(scene: Scene, dead: Invocation, delivery: Delivery): Promise<void> {
  const left = await scene.admin.get(scene.job.name);
  // A Date header names the second that has begun.
  await sleep(Math.max(0, Number(left?.lockUntil) + 1_050 - Date.now()));
  await scene.fleet.lend(1, async ([worker]) => {
    if (worker) await lookForCrash(scene, dead, left, await give(scene, worker, delivery));
  });
}

/**
 * Notes, once a successor has run, whether it and the record know of a run that was killed.
 *
 * @param left the record as the dead left it
 */
async function lookForCrash(
  scene: Scene,
  dead: Invocation,
  left: LockInfo | undefined,
  next: Invocation,
): Promise<void> {
  const { admin, job, recorder } = scene;
  const token = left?.fencingToken;
  // On a very slow machine a run may have ended before it was killed.
  if (token === undefined || left?.state === 'free' || dead.ending.kind !== 'killed') return;
  const runs = await admin.runs(job.name);
  const recorded = runs.some(({ status, fencingToken }) => status === 'crashed' && fencingToken === token);
  recorder.crash({ job: job.name, invocation: dead.id, token, recorded, told: next.recovered });
}

/** The answer to the acquire is lost on its way back; the lock was granted. */
async function lostAnswer(scene: Scene): Promise<void> {
  const tickMs = scene.nextTick();
  const { job, recorder, timeline } = scene;
  await scene.fleet.lend(1, async ([worker]) => {
    if (!worker) return;
    let lostAtMs: number | undefined;
    const isAcquire = ({ body }: { body: Parameters<typeof verbOf>[0] }) =>
      verbOf(body) === 'acquire' && attemptOf(body) !== undefined;
    worker.station.proxy.inject(
      { kind: 'reset', at: 'after' },
      {
        when: isAcquire,
        meanwhile: async () => {
          lostAtMs = recorder.nowMs();
          timeline.act(lostAtMs, job.name, 'network', `loses the answer to the acquire of ${worker.name}`);
        },
      },
    );
    const { id } = await give(scene, worker, { tickMs });
    if (lostAtMs !== undefined) {
      recorder.incident({ kind: 'answer-lost', invocation: id, job: job.name, atMs: lostAtMs });
    }
  });
}

/** A tick that was held up arrives after the one that followed it. */
async function staleTick(scene: Scene): Promise<void> {
  const older = scene.nextTick();
  const newer = scene.nextTick();
  await scene.fleet.lend(2, async ([one, other]) => {
    if (!one || !other) return;
    await give(scene, one, { tickMs: newer });
    await give(scene, other, { tickMs: older, as: 'arrives late' });
  });
}

/** An operator pauses the job for a tick, without a deployment. */
async function pause(scene: Scene): Promise<void> {
  const { job, admin, recorder, timeline } = scene;
  await admin.pause(job.name, { by: 'operator of the demo' });
  recorder.incident({ kind: 'paused', job: job.name, atMs: recorder.nowMs() });
  timeline.act(recorder.nowMs(), job.name, 'operator', 'pauses the job');
  await scene.fleet.lend(1, async ([worker]) => {
    if (!worker) return;
    await give(scene, worker, { tickMs: scene.nextTick() });
    recorder.incident({ kind: 'resumed', job: job.name, atMs: recorder.nowMs() });
    await admin.resume(job.name);
    timeline.act(recorder.nowMs(), job.name, 'operator', 'resumes it');
    await give(scene, worker, { tickMs: scene.nextTick() });
  });
}

/** Resolves when the handler is seen at work, or has ended without. */
export async function begun(job: Job, worker: Worker, running: Promise<unknown>): Promise<void> {
  let ended = false;
  const done = running.finally(() => {
    ended = true;
  });
  while (!ended && !job.workAt(worker.station, undefined)) await Promise.race([sleep(5), done]);
}
