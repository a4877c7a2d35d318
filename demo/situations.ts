import { setTimeout as sleep } from 'node:timers/promises';
import type { LockAdmin } from 'single-execution/admin';
import { attemptOf, verbOf } from '../test/support/lock-verb.js';
import type { Random } from '../test/support/play/random.js';
import type { History } from './history.js';
import type { Job } from './jobs.js';
import type { Delivery, Worker } from './platform.js';

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
}

type Situation = (scene: Scene) => Promise<unknown>;

/** What Lambda leaves a run that is to die, so that its lease is short. */
const CRASHING_MS = 1_500;
const BREAKDOWN = { kind: 'error', at: 'before', status: 400, type: 'ValidationException' } as const;

export const SITUATIONS: Readonly<Record<string, Situation>> = {
  /** The scheduler delivers one tick to both workers at once. */
  async 'on time'({ one, other, random, nextTick }) {
    const tickMs = nextTick();
    await Promise.all([one.deliver({ tickMs }), sleep(random.whole(0, 40)).then(() => other.deliver({ tickMs }))]);
  },

  /** The same tick again, when its run is long over. */
  async duplicate({ one, other, random, nextTick }) {
    const tickMs = nextTick();
    await one.deliver({ tickMs });
    await sleep(random.whole(100, 600));
    await other.deliver({ tickMs });
  },

  /** A run that takes longer than the schedule's interval: the next tick comes while it is at work. */
  async overrun({ one, other, random, nextTick }) {
    const running = await atWork(one, random.whole(700, 1_200), { tickMs: nextTick() });
    await other.deliver({ tickMs: nextTick() });
    await running.end;
  },

  /** A run fails, and the platform tries again: the same event under the same request id. At most once skips it. */
  async failure({ one, other, random, nextTick }) {
    const tickMs = nextTick();
    void one.strike(BREAKDOWN);
    const first = await one.deliver({ tickMs });
    await sleep(random.whole(50, 300));
    await other.deliver({ tickMs, retryOf: first });
  },

  /** A worker dies at work. The retry and the next tick are refused; the first tick after its lease takes over. */
  async crash(scene) {
    const { admin, history, job, one, other, nextTick } = scene;
    const tickMs = nextTick();
    const running = await atWork(one, 30_000, { tickMs, remainingMs: CRASHING_MS });
    one.kill();
    const dead = await running.end;
    await other.deliver({ tickMs, retryOf: dead });
    await other.deliver({ tickMs: nextTick() });

    const left = await admin.get(job.name);
    await untilFree(scene);
    const { isToldOfCrash } = await other.deliver({ tickMs: nextTick() });
    // On a very slow machine a run may have ended before it was killed.
    if (left?.fencingToken === undefined || left.state === 'free' || dead.ending !== 'killed') return;
    const token = left.fencingToken;
    const runs = await admin.runs(job.name);
    const recorded = runs.some(({ status, fencingToken }) => status === 'crashed' && fencingToken === token);
    history.crashes.push({ job: job.name, token, recorded, told: isToldOfCrash === true });
  },

  /** The answer to the acquire is lost on its way back; the lock was granted. */
  async 'lost answer'({ one, history, nextTick }) {
    let isLost = false;
    one.database.inject(
      { kind: 'reset', at: 'after' },
      {
        when: ({ body }) => verbOf(body) === 'acquire' && attemptOf(body) !== undefined,
        async meanwhile() {
          isLost = true;
        },
      },
    );
    const { id } = await one.deliver({ tickMs: nextTick() });
    if (isLost) history.lostAnswers.push(id);
  },

  /** A tick that was held up arrives after the one that followed it. */
  async 'stale tick'({ one, other, nextTick }) {
    const older = nextTick();
    await one.deliver({ tickMs: nextTick() });
    await other.deliver({ tickMs: older });
  },

  /** An operator pauses the job for a tick, without a deployment. */
  async pause({ admin, history, job, one, nextTick }) {
    await admin.pause(job.name, { by: 'operator of the demo' });
    const fromMs = performance.now();
    await one.deliver({ tickMs: nextTick() });
    history.pauses.push({ job: job.name, fromMs, toMs: performance.now() });
    await admin.resume(job.name);
    await one.deliver({ tickMs: nextTick() });
  },
};

/** For the report, which makes up for what was missed. */
export const NIGHTS: Readonly<Record<string, Situation>> = {
  ...SITUATIONS,

  'started by hand': ({ one }) => one.deliver({}),

  /** The schedule leaves a night out. The next one, delivered twice, makes up for it. */
  async 'night left out'({ one, other, history, job, nextTick }) {
    history.leftOut.push({ job: job.name, tickMs: nextTick() });
    const tickMs = nextTick();
    await Promise.all([one.deliver({ tickMs }), other.deliver({ tickMs })]);
  },
};

/** Delivers to a worker whose work is slow. @returns when it is seen at work, or has ended without */
async function atWork(worker: Worker, ms: number, delivery: Delivery) {
  const begun = worker.strike({ kind: 'delay', ms });
  const end = worker.deliver(delivery);
  await Promise.race([begun, end]);
  return { end };
}

/** Waits until the job's lock is free. A Date header names the second that has begun. */
export async function untilFree({ admin, job }: Pick<Scene, 'admin' | 'job'>): Promise<void> {
  const record = await admin.get(job.name);
  await sleep(Math.max(0, Number(record?.lockUntil ?? 0) + 1_050 - Date.now()));
}
