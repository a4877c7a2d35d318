import { LATE_MS } from '../../support/backends/backend.js';
import type { Grant, History, Run, Skip, Write } from '../../support/history/history.js';
import { grouped, neighbours } from './grouped.js';
import type { Delivery, SoakHistory } from './history.js';
import type { SoakJob } from './plan.js';
import { hasStoreFailed, isRecorded, standstillsOf, type WithRun } from './reading.js';
import type { WitnessedWrite } from './witness-file.js';

/*
 * What a soak knows of each lock, as facts. Workers report what they see. If an answer was lost, only bounds are known
 * for what the store did.
 */

/** The tolerance for rounding, and for the time between an event and the reading of its instant. */
const READING_MS = 20;
/**
 * How much longer a lease may last than asked for: on DynamoDB the store adds its padding, and the server's clock shows
 * whole seconds only.
 */
const BEYOND_LEASE_MS = 3_000;
/** How long a busy machine can delay a request. */
const BUSY_MS = 5_000;

export function historiesOf(soak: SoakHistory): History[] {
  const standstills = [...new Set(soak.deliveries.map(({ worker }) => worker))].flatMap(standstillsOf);
  const byId = new Map(soak.deliveries.map((delivery) => [String(delivery.id), delivery]));
  return [...grouped(soak.deliveries, ({ job }) => job.name)].flatMap(([name, deliveries]) => {
    const [first] = deliveries;
    if (!first) return [];
    return {
      tickMark: first.job.tickMark,
      neverCameIsOpen: false,
      readingMs: READING_MS,
      grants: grantsOf(soak, deliveries),
      runs: deliveries.flatMap((delivery) => (delivery.run ? [runOf({ ...delivery, run: delivery.run })] : [])),
      writes: writesOf(soak.writes.get(name) ?? [], byId),
      skips: deliveries.flatMap((delivery) => skipOf(soak, delivery, byId)),
      standstills,
      openings: [],
    };
  });
}

const factOf = ({ id, worker, tickMs }: Delivery) => ({ attempt: String(id), host: worker.name, tick: tickMs });

/** The grants that workers were told of, and the grants that may have been made although no worker was told. */
function grantsOf(soak: SoakHistory, deliveries: readonly Delivery[]): Grant[] {
  const told = deliveries.filter(({ granted }) => granted).toSorted((a, b) => tokenOf(a) - tokenOf(b));
  const keptUntilMs = new Map(neighbours(told).map(([one, next]) => [next.id, lockedUntilMs(soak, one, next)]));
  return deliveries.flatMap((delivery) => {
    const { id, receivedMs = Number.POSITIVE_INFINITY, granted, settled } = delivery;
    const fact = factOf(delivery);
    if (granted) {
      return { ...fact, at: [receivedMs, granted.atMs], token: granted.token, notBeforeMs: keptUntilMs.get(id) };
    }
    const endMs = settled?.atMs ?? Number.POSITIVE_INFINITY;
    return canHaveHeld(delivery, soak.store) ? { ...fact, at: [receivedMs, endMs] } : [];
  });
}

const tokenOf = ({ granted }: Delivery) => granted?.token ?? 0;

/** Whether a delivery may have been granted the lock although its worker was never told. */
function canHaveHeld(one: Delivery, store: SoakHistory['store']): boolean {
  const { job, settled, receivedMs = 0, worker } = one;
  if (!settled || hasStoreFailed(one)) return true;
  // The answer came only after the lease was over, so the next run found a crash. On DynamoDB, the lease of a host
  // whose clock is behind ends early.
  const leaseMs = job.lockAtMostForMs + (store === 'dynamodb' ? Math.min(0, worker.aheadMs) : 0);
  return settled.atMs - receivedMs >= leaseMs;
}

/**
 * Until when `lockAtLeastFor` of a run refuses the next grant. Known only if the clocks that decide are true, and if no
 * tick of the job was due when a run began. A tick that failed before is listed, and not refused.
 */
function lockedUntilMs(soak: SoakHistory, one: Delivery, next: Delivery): number | undefined {
  const isTrue = ({ worker }: Delivery) => soak.store !== 'dynamodb' || worker.aheadMs === 0;
  const isKept = one.job.lockAtLeastForMs > 0 && isRecorded(one) && isTrue(one) && isTrue(next);
  const others = soak.deliveries.filter(({ job, tickMs, id }) => {
    return id !== next.id && job.name === next.job.name && tickMs === next.tickMs;
  });
  const hasBegun = others.some((other) => other.granted || canHaveHeld(other, soak.store));
  if (!isKept || one.job.isDueLaterMs === 0 || hasBegun || !isNextGrant(soak, one, next)) return undefined;
  return (one.receivedMs ?? 0) + one.job.lockAtLeastForMs - READING_MS;
}

/**
 * Whether `next` was the first grant after `one`. On DynamoDB tokens rise by one, so a gap shows an unknown grant
 * between them. Other stores are not checked: on Redis a token is the server's time.
 */
export function isNextGrant({ store }: SoakHistory, one: Delivery, next: Delivery): boolean {
  return store !== 'dynamodb' || tokenOf(next) === tokenOf(one) + 1;
}

function runOf(delivery: WithRun): Run {
  const { run, receivedMs = 0, granted, job, worker } = delivery;
  const { token, beganMs, endedMs, hasReturned, aborted } = run;
  const grantedMs = granted?.atMs ?? beganMs;
  const isDead = endedMs === worker.killedMs || endedMs === Number.POSITIVE_INFINITY;
  return {
    ...factOf(delivery),
    token,
    began: [granted?.atMs ?? receivedMs, beganMs],
    ended: [endedMs, endedMs],
    end: hasReturned ? 'returned' : isDead ? 'died' : 'threw',
    isRecorded: isRecorded(delivery),
    leaseEndsMs: job.keepAlive ? undefined : grantedMs + job.lockAtMostForMs,
    returnedMs: aborted?.reason === 'LockLostError' ? aborted.atMs : undefined,
  };
}

type ById = ReadonlyMap<string, Delivery>;

function writesOf(writes: readonly WitnessedWrite[], byId: ById): Write[] {
  return writes.map(({ token, delivery: id, atMs, hasAsked, isAccepted }) => {
    const writer = byId.get(String(id));
    const fact = writer ? factOf(writer) : { attempt: String(id), host: 'nobody' };
    return { ...fact, token, at: [atMs, atMs + READING_MS], hasAsked, isAccepted };
  });
}

function skipOf(soak: SoakHistory, delivery: Delivery, byId: ById): Skip | [] {
  const { settled, receivedMs = 0 } = delivery;
  const [how, reason] = settled?.ending.split(': ') ?? [];
  if (!settled || how !== 'skipped') return [];
  const at = [receivedMs, settled.atMs] as const;
  const by = byId.get(settled.holder?.lockedBy ?? '');
  // Whether a run has succeeded is known only of one whose release was answered.
  const passesHold = by !== undefined && isRecorded(by) && delivery.job.isDueLaterMs === 0;
  const fact = { ...factOf(delivery), at, reason: reason as Skip['reason'], passesHold };
  return { ...fact, grantOverMs: grantOverMs(soak, delivery, byId) };
}

/** When the delivery that caused this skip can no longer have held the lock. */
function grantOverMs({ store, startedAt }: SoakHistory, skip: Delivery, byId: ById): number {
  const by = byId.get(skip.settled?.holder?.lockedBy ?? '');
  if (!by || by.id === skip.id || by.job.name !== skip.job.name) return Number.NEGATIVE_INFINITY;
  const { granted, settled, worker, job } = by;
  const endMs = settled?.atMs ?? worker.killedMs ?? Number.POSITIVE_INFINITY;
  const heldMs = skip.settled?.ending === 'skipped: locked' ? 0 : job.lockAtLeastForMs;
  const leaseMs = isRecorded(by) ? heldMs : job.lockAtMostForMs;
  // A late request can grant the lock after its sender was told that its connection broke.
  const lateMs = granted ? 0 : LATE_MS;
  const aheadMs = store === 'dynamodb' ? Math.max(0, worker.aheadMs) : 0;
  const isLeased = store !== 'dynamodb' && isLeasedByRecord(skip, job, startedAt, endMs);
  return isLeased ? Number.POSITIVE_INFINITY : endMs + leaseMs + lateMs + aheadMs + BEYOND_LEASE_MS + READING_MS;
}

/**
 * Whether the record that refused a delivery was held by the server's own clock, under a lease that its holder can have
 * asked for before the holder's end. On a busy machine a request may be granted after its sender is gone.
 */
function isLeasedByRecord(skip: Delivery, job: SoakJob, startedAt: number, endMs: number): boolean {
  const holder = skip.settled?.holder;
  if (!holder) return false;
  const [lockedAt, lockUntil] = [Date.parse(holder.lockedAt), Date.parse(holder.lockUntil)];
  const leasedAt = job.keepAlive ? lockUntil - job.lockAtMostForMs : lockedAt;
  // A grant may come late without limit: it has a token of its own. Renewals end with their holder.
  const isInTime = leasedAt === lockedAt || leasedAt <= startedAt + endMs + LATE_MS + BUSY_MS + READING_MS;
  const askedAt = startedAt + (skip.receivedMs ?? 0);
  return askedAt <= lockUntil + READING_MS && lockUntil <= leasedAt + job.lockAtMostForMs && isInTime;
}
