import { setTimeout as sleep } from 'node:timers/promises';
import { type Beat, begun, die, give, type Scene, takeOver } from './beats.js';

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
    for (const [name, beat] of Object.entries(NIGHT_BEATS)) await play(name, beat);
    const nextMs = recorder.nowMs() + MINUTE_MS + 1_000;
    const leftMs = endMs - nextMs;
    if (leftMs < NIGHT_MS) return;

    await sleep(nextMs - recorder.nowMs());
    const [isLeftOut, isDeadly] = [random.chance(0.5), random.chance(0.5)];
    if (isLeftOut) await play('night left out', nightLeftOut);
    if (isLeftOut && endMs - recorder.nowMs() < MINUTE_MS + NIGHT_MS) return;
    if (isLeftOut) await sleep(MINUTE_MS + 1_000);
    if (isDeadly && endMs - recorder.nowMs() > 2 * MINUTE_MS + NIGHT_MS) await play('night of a crash', nightOfCrash);
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

/** The schedule leaves a night out. The next one, delivered twice, makes up for it. */
async function nightLeftOut(scene: Scene): Promise<void> {
  const { job, recorder } = scene;
  const leftOutMs = scene.nextTick();
  const tickMs = scene.nextTick();
  recorder.incident({ kind: 'left-out', job: job.name, atMs: recorder.nowMs(), tickMs: leftOutMs });
  await scene.fleet.lend(2, (workers) =>
    Promise.all(workers.map((worker) => give(scene, worker, { tickMs, as: 'after a night left out' }))),
  );
}

/** Somebody starts the report by hand, right after it has run. */
async function byHand(scene: Scene): Promise<void> {
  await scene.fleet.lend(1, async ([worker]) => {
    if (worker) await give(scene, worker, {});
  });
}

/** The run of a night dies. Its retries find its lock, until the lease is over: then the very same tick runs. */
async function nightOfCrash(scene: Scene): Promise<void> {
  const tickMs = scene.nextTick();
  const dead = await die(scene, { tickMs }, (other, { requestId }) =>
    give(scene, other, { tickMs, requestId, as: 'retry' }),
  );
  await takeOver(scene, dead, { tickMs, requestId: dead.requestId, as: 'second retry' });
  await sleep(MINUTE_MS + 1_000);
}
