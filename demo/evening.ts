import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../test/support/play/random.js';
import { BEATS, LONGEST_BEAT_MS, type Scene } from './beats.js';
import type { Job } from './job.js';
import { nightlyReport } from './nightly-report-job.js';
import { NIGHT_BEATS, playNights } from './nights.js';
import { tenantSync } from './tenant-sync-job.js';

/** The jobs of the evening: the report of the night, and a sync for each tenant. */
export const TENANTS = ['acme', 'globex', 'initech'];
const SYNCS = TENANTS.map(tenantSync);
export const JOBS: readonly Job[] = [nightlyReport, ...SYNCS];

/** Situations that an evening must have shown. */
export const SITUATIONS: readonly string[] = [...Object.keys(BEATS), ...Object.keys(NIGHT_BEATS)];

const DAY_MS = 86_400_000;
const TWO_O_CLOCK_MS = 7_200_000;
const QUARTER_MS = 900_000;
/** So long ago that the ticks of the longest evening are all in the past. */
export const FIRST_DAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 21 * DAY_MS;

/** What an evening is made of, over and above one of each situation. */
const USUAL = [
  'on time',
  'on time',
  'on time',
  'duplicate',
  'overrun',
  'failure',
  'lost answer',
  'stale tick',
  'pause',
];

type Cast = Omit<Scene, 'job' | 'random' | 'nextTick'>;

/**
 * Plays every situation at least once, spread over the jobs, and then more of them until the time is up. What is
 * played on which job and tick depends on the seed alone; who wins depends on the moment.
 */
export async function playEvening(random: Random, lastsMs: number, cast: Cast): Promise<void> {
  const endMs = cast.recorder.nowMs() + lastsMs;
  const pauseMs = Math.min(3_000, lastsMs / 60);
  const opening = openings(random);
  const scene = (job: Job, firstMs: number, everyMs: number): Scene => {
    let tickMs = firstMs - everyMs;
    const nextTick = () => {
      tickMs += everyMs;
      return tickMs;
    };
    return { job, random: random.fork(job.name), nextTick, ...cast };
  };
  await Promise.all([
    playNights(scene(nightlyReport, FIRST_DAY_MS + TWO_O_CLOCK_MS, DAY_MS), endMs),
    ...SYNCS.map((job, i) =>
      playSyncs(scene(job, FIRST_DAY_MS + 9 * TWO_O_CLOCK_MS, QUARTER_MS), opening[i] ?? [], endMs, pauseMs),
    ),
  ]);
}

/** Deals one of each situation out to the tenants, the longest one first. */
function openings(random: Random): string[][] {
  const names = random.shuffled(Object.keys(BEATS)).sort((a, b) => Number(b === 'crash') - Number(a === 'crash'));
  const first = random.whole(0, SYNCS.length - 1);
  return SYNCS.map((_, i) => names.filter((__, k) => (k + first) % SYNCS.length === i));
}

async function playSyncs(scene: Scene, opening: readonly string[], endMs: number, pauseMs: number): Promise<void> {
  const { random, recorder } = scene;
  const rest = [...opening];
  for (let played = 0; rest.length > 0 || recorder.nowMs() < endMs; played++) {
    // Each with a chance of its own: how long it takes leaves the next ones alone.
    const chance = random.fork(String(played));
    const usual = chance.pick(USUAL);
    const diesNext = chance.chance(0.1) && endMs - recorder.nowMs() > LONGEST_BEAT_MS;
    const name = rest.shift() ?? (diesNext ? 'crash' : usual);
    await BEATS[name]?.({ ...scene, random: chance });
    recorder.beat(name);
    const nextMs = pauseMs * (0.5 + chance.whole(0, 100) / 100);
    await sleep(Math.min(nextMs, Math.max(0, endMs - recorder.nowMs())));
  }
}
