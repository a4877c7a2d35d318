import type { Random } from '../../support/play/random.js';

/*
 * The plan of a soak: what is done to the fleet, and when. The same seed gives the same plan. Which worker wins a tick,
 * and which request a fault strikes, still depends on timing.
 */

export interface SoakJob {
  readonly name: string;
  readonly lockAtMostForMs: number;
  readonly keepAlive: boolean;
  readonly lockAtLeastForMs: number;
  readonly tickMark: 'success' | 'start';
  /** How much later than those of other jobs its ticks are due. */
  readonly isDueLaterMs: number;
  readonly worksMs: readonly [from: number, to: number];
  /**
   * Whether its ticks also come to hosts whose clocks are ahead. On DynamoDB such a host, if it dies, blocks the job
   * for as long as its clock is ahead.
   */
  readonly comesToHostsAhead: boolean;
}

type Kind = Omit<SoakJob, 'name' | 'comesToHostsAhead'>;

const PLAIN: Kind = {
  lockAtMostForMs: 1_500,
  keepAlive: false,
  lockAtLeastForMs: 0,
  tickMark: 'success',
  isDueLaterMs: 0,
  worksMs: [20, 400],
};

const SPACED: Kind = { ...PLAIN, lockAtMostForMs: 2_000, lockAtLeastForMs: 700, worksMs: [20, 200] };

const KINDS: Readonly<Record<string, Kind>> = {
  plain: PLAIN,
  once: { ...PLAIN, tickMark: 'start' },
  /** Some runs take longer than their lease. */
  overrun: { ...PLAIN, lockAtMostForMs: 1_200, worksMs: [300, 2_000] },
  /** Its ticks are due after all of its runs have begun, so `lockAtLeastFor` keeps them out. */
  spaced: { ...SPACED, isDueLaterMs: 2 * 3_600_000 },
  /** Its ticks were due before. */
  'spaced, owed': SPACED,
  kept: { ...PLAIN, lockAtMostForMs: 1_000, keepAlive: true, worksMs: [20, 2_500] },
  'kept once': { ...PLAIN, lockAtMostForMs: 1_200, keepAlive: true, tickMark: 'start', worksMs: [20, 2_000] },
};

export const JOBS: readonly SoakJob[] = Object.entries(KINDS).flatMap(([kind, job]) => [
  { ...job, name: kind, comesToHostsAhead: false },
  { ...job, name: `${kind}, clocks ahead`, comesToHostsAhead: true },
]);

export const LONGEST_LEASE_MS: number = Math.max(...JOBS.map(({ lockAtMostForMs }) => lockAtMostForMs));

const FURTHEST_MS = 120_000;
const NEAR_MS = 3_000;

/** How far each kind of worker's wall clock is ahead. A new worker in a slot gets a new value. */
export const CLOCKS = {
  none: () => 0,
  near: (random: Random) => random.whole(-NEAR_MS, NEAR_MS),
  behind: (random: Random) => -farOff(random),
  ahead: farOff,
} as const;

/**
 * The slots of the fleet, by the kind of their clocks. Each slot has one worker process, which is replaced when it was
 * killed.
 */
export const SLOTS: readonly (keyof typeof CLOCKS)[] = ['none', 'none', 'none', 'near', 'behind', 'ahead'];

/**
 * An offset of seconds is as likely as one of minutes, because on DynamoDB a host that is ahead can block a job for
 * that long.
 */
function farOff(random: Random): number {
  return Math.round(NEAR_MS * (FURTHEST_MS / NEAR_MS) ** (random.whole(0, 1_000) / 1_000));
}

/** A tick that comes to a worker. Instants are in milliseconds since the play began. */
export interface PlannedDelivery {
  readonly kind: 'deliver';
  readonly atMs: number;
  readonly slot: number;
  readonly job: SoakJob;
  readonly tickMs: number;
  readonly worksMs: number;
  readonly fails: boolean;
}

export type PlannedStep =
  | PlannedDelivery
  | { readonly kind: 'kill'; readonly atMs: number; readonly slot: number }
  | { readonly kind: 'stop'; readonly atMs: number; readonly slot: number; readonly forMs: number };

const TICK_MS = 1_000;
/** The longest time between two copies of a tick that come at once. */
const APART_MS = 40;
const LATEST_MS = 3_000;
/** How long after the other hosts a host that is ahead gets the tick. */
const AFTER_OTHERS_MS: readonly [number, number] = [50, 900];
/** How long after a tick whose run fails the platform tries again. */
const RETRY_MS: readonly [number, number] = [400, 1_500];
const FAULT_EVERY_MS: readonly [number, number] = [700, 1_500];
/** A stop lasts from a moment to three leases. Half of all stops outlast any lease. */
const STOPS_MS = [
  (random: Random) => random.whole(200, LONGEST_LEASE_MS),
  (random: Random) => random.whole(LONGEST_LEASE_MS, 3 * LONGEST_LEASE_MS),
];
/** How long a worker is left alone after its start or after a stop. */
const RESPITE_MS = 1_500;
/** How long before the end the last fault comes, so that its effects are seen. */
const QUIET_END_MS = 6_000;

/** Everything that happens within `lastsMs`, in order. */
export function planOf(random: Random, jobs: readonly SoakJob[], lastsMs: number): PlannedStep[] {
  const deliveries = jobs.flatMap((job, i) =>
    deliveriesOf(random.fork(job.name), job, (i * TICK_MS) / jobs.length, lastsMs),
  );
  const steps = [...deliveries, ...faultsOf(random.fork('faults'), lastsMs - QUIET_END_MS)];
  return steps.sort((a, b) => a.atMs - b.atMs);
}

/**
 * Each tick comes to two or three workers at once. Some ticks come again, some come late, some runs fail and are
 * retried. A host whose clock is ahead gets the tick a little later: by its clock, the holder's lease is then mostly
 * over.
 */
function deliveriesOf(random: Random, job: SoakJob, offsetMs: number, lastsMs: number): PlannedDelivery[] {
  const slots = SLOTS.flatMap((clock, slot) =>
    clock === 'none' || clock === 'behind' || (clock === 'near' && job.comesToHostsAhead) ? [slot] : [],
  );
  const deliveries: PlannedDelivery[] = [];
  const deliver = (tickMs: number, atMs: number, slot: number, fails: boolean) => {
    const worksMs = random.whole(...job.worksMs);
    deliveries.push({ kind: 'deliver', atMs, slot, job, tickMs, worksMs, fails });
  };
  for (let tickMs = 0; tickMs < lastsMs; tickMs += TICK_MS) {
    const dueMs = tickMs + offsetMs + (random.chance(0.05) ? random.whole(0, LATEST_MS) : 0);
    const fails = random.chance(0.1);
    for (const slot of random.shuffled(slots).slice(0, random.whole(2, 3))) {
      deliver(tickMs, dueMs + random.whole(0, APART_MS), slot, fails);
    }
    if (job.comesToHostsAhead && random.chance(0.4)) {
      deliver(tickMs, dueMs + random.whole(...AFTER_OTHERS_MS), SLOTS.indexOf('ahead'), fails);
    }
    if (fails) deliver(tickMs, dueMs + random.whole(...RETRY_MS), random.pick(slots), false);
    if (random.chance(0.15)) deliver(tickMs, dueMs + random.whole(0, LATEST_MS), random.pick(slots), false);
  }
  return deliveries;
}

/** Now and then a worker is killed, or stopped for up to three leases. No worker has two faults at once. */
function faultsOf(random: Random, lastsMs: number): PlannedStep[] {
  const faults: PlannedStep[] = [];
  const freeAtMs = SLOTS.map(() => RESPITE_MS);
  for (let atMs = 0; ; ) {
    atMs += random.whole(...FAULT_EVERY_MS);
    if (atMs >= lastsMs) return faults;
    const free = freeAtMs.flatMap((freeMs, slot) => (freeMs <= atMs ? [slot] : []));
    if (free.length === 0) continue;
    const slot = random.pick(free);
    const forMs = random.chance(0.4) ? 0 : random.pick(STOPS_MS)(random);
    faults.push(forMs === 0 ? { kind: 'kill', atMs, slot } : { kind: 'stop', atMs, slot, forMs });
    freeAtMs[slot] = atMs + forMs + RESPITE_MS;
  }
}
