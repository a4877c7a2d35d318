import { setTimeout as sleep } from 'node:timers/promises';
import { type Beat, begun, give, lookForCrash, type Scene } from './beats.js';

/*
 * The nights of the report, whose lock stays for a minute after each success: one night in a short evening, more in a
 * long one, where a night is left out and a run dies.
 */

const MINUTE_MS = 60_000;
/** What a night takes, from its first delivery to its last. */
const NIGHT_MS = 4_000;

export const NIGHT_BEATS: Readonly<Record<string, Beat>> = {
  'failed night retried': failedNight,
  'started by hand': byHand,
};

/** Plays nights until the time is up, the first one whatever the time. */
export async function playNights(scene: Scene, endMs: number): Promise<void> {
  const { random, recorder } = scene;
  const play = async (name: string, beat: Beat) => {
    await beat(scene);
    recorder.beat(name);
  };
  for (;;) {
    const startedMs = recorder.nowMs();
    for (const [name, beat] of Object.entries(NIGHT_BEATS)) await play(name, beat);
    const nextMs = recorder.nowMs() + MINUTE_MS + 1_000;
    const leftMs = endMs - nextMs;
    if (leftMs < NIGHT_MS) return;

    await sleep(nextMs - recorder.nowMs());
    const [isLeftOut, isDeadly] = [random.chance(0.5), random.chance(0.5)];
    if (isLeftOut) scene.nextTick();
    if (isDeadly && leftMs > 2 * (nextMs - startedMs)) await play('night of a crash', nightOfCrash);
  }
}

/** The data table refuses, the platform tries again, and a second delivery comes while that is at work, a third after. */
async function failedNight(scene: Scene): Promise<void> {
  const { job, random } = scene;
  const tickMs = scene.nextTick();
  await scene.fleet.lend(2, async ([one, other]) => {
    if (!one || !other) return;
    job.breakDown(one.station);
    const { requestId } = await give(scene, one, { tickMs });
    await sleep(random.whole(50, 300));
    job.slow(other.station, random.whole(400, 800));
    const running = give(scene, other, { tickMs, requestId, as: 'retry' });
    await begun(job, other, running);
    await give(scene, one, { tickMs, as: 'delivered again' });
    await running;
    await give(scene, one, { tickMs, as: 'and again' });
  });
}

/** Somebody starts the report by hand, right after it has run. */
async function byHand(scene: Scene): Promise<void> {
  await scene.fleet.lend(1, async ([worker]) => {
    if (worker) await give(scene, worker, {});
  });
}

/** The run of a night dies. Its retries find its lock, until the lease is over: then the very same tick runs. */
async function nightOfCrash(scene: Scene): Promise<void> {
  const { job } = scene;
  const tickMs = scene.nextTick();
  const dead = await scene.fleet.lend(2, async ([one, other]) => {
    if (!one || !other) throw new Error('two workers were asked for');
    job.slow(one.station, 30_000);
    const running = give(scene, one, { tickMs });
    await begun(job, one, running);
    one.kill();
    const killed = await running;
    await give(scene, other, { tickMs, requestId: killed.requestId, as: 'retry' });
    return killed;
  });
  const left = await scene.admin.get(job.name);
  await sleep(Math.max(0, Number(left?.lockUntil) + 1_050 - Date.now()));
  await scene.fleet.lend(1, async ([worker]) => {
    if (!worker) return;
    const next = await give(scene, worker, { tickMs, requestId: dead.requestId, as: 'second retry' });
    await lookForCrash(scene, dead, left, next);
  });
  await sleep(MINUTE_MS + 1_000);
}
