import type { Invariants } from '../play/verdict.js';
import type { Between, Grant, History, OfAttempt, Run, Write } from './history.js';

/** A promise of docs/protocol.md about one lock, and its check. */
export interface Invariant {
  /** The name of the invariant in docs/reliability.md. */
  readonly name: string;
  readonly promise: string;
  check(history: History): Finding;
}

export interface Finding {
  /** How many facts were looked at. */
  readonly cases: number;
  readonly breaches: readonly Breach[];
}

export interface Breach {
  readonly what: string;
  /** The facts that show the breach, in their order. */
  readonly facts: readonly OfAttempt[];
}

/** The invariants that every history must keep, whatever its clocks and processes are. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'I1',
    promise: 'two handlers are never at work at once, unless one of them stands still',
    check(history) {
      const breaches = overlaps(history).flatMap(([one, next]) => {
        const beside: readonly [number, number] = [next.began[1], Math.min(one.ended[0], next.ended[0])];
        const ms = awakeMs(history, withoutLock(one, next), ...beside);
        return ms > history.readingMs ? [breach(`two at work for ${Math.round(ms)} ms`, one, next)] : [];
      });
      return { cases: history.runs.length, breaches };
    },
  },
  {
    name: 'I2',
    promise: 'fencing tokens rise from grant to grant',
    check({ grants, runs }) {
      const granted = grants.filter(isSure);
      const twice = granted.filter(({ token }, n) => granted.findIndex((one) => one.token === token) < n);
      return {
        cases: granted.length,
        breaches: [
          ...twice.map((grant) => breach(`token ${grant.token} was granted twice`, grant)),
          ...fallen(granted),
          ...fallen(runs),
        ],
      };
    },
  },
  {
    name: 'I3, done',
    promise: 'a done tick does not run again, nor does an older tick that was never begun',
    check(history) {
      const isDone = (one: Begun) => history.tickMark === 'start' || ('isRecorded' in one && one.isRecorded);
      const begun = allBegun(history);
      const done = begun.filter((one) => one.tick !== undefined && isDone(one));
      const breaches = begun.flatMap((next) => {
        const before = done.filter((one) => comesAfter(next, one) && !isOpenedBetween(history, one, next));
        const same = before.find(({ tick }) => tick === next.tick);
        const newer = before.find(({ tick }) => Number(tick) > Number(next.tick));
        const isStale = newer && !history.neverCameIsOpen && !canHaveBegunBefore(history, next);
        const by = same ?? (isStale ? newer : undefined);
        return by ? [breach('a tick ran that was done', by, next)] : [];
      });
      return { cases: done.length, breaches };
    },
  },
  {
    name: 'I3, told',
    promise: 'a call is skipped because its tick is done only if a run can have done it',
    check({ tickMark, grants, runs, skips }) {
      const told = skips.filter(({ reason }) => reason === 'already-executed' || reason === 'stale-tick');
      const returned = runs.filter(({ end }) => end === 'returned').map((run) => ({ ...run, doneMs: run.ended[0] }));
      const marks = tickMark === 'success' ? returned : grants.map((grant) => ({ ...grant, doneMs: grant.at[0] }));
      const breaches = told.flatMap((skip) => {
        const before = marks.filter(({ doneMs }) => doneMs <= skip.at[1]);
        const isTrue = before.some(({ tick }) =>
          skip.reason === 'stale-tick' ? Number(tick) > Number(skip.tick) : tick === skip.tick,
        );
        return isTrue ? [] : [breach(`told ${skip.reason}, and nobody did it`, skip)];
      });
      return { cases: told.length, breaches };
    },
  },
  {
    name: 'I5',
    promise: 'lockAtLeastFor is kept, where clocks are true',
    check({ grants }) {
      const held = grants.filter(({ notBeforeMs }) => notBeforeMs !== undefined);
      const breaches = held.flatMap((grant) => {
        const earlyMs = Number(grant.notBeforeMs) - grant.at[1];
        return earlyMs > 0 ? [breach(`granted ${Math.round(earlyMs)} ms too early`, grant)] : [];
      });
      return { cases: held.length, breaches };
    },
  },
  {
    name: 'I5, told',
    promise: 'lockAtLeastFor keeps out no tick that is owed, and no tick after a run without one',
    check({ skips }) {
      const kept = skips.filter(({ reason }) => reason === 'lock-at-least-for');
      const owed = kept.filter(({ passesHold }) => passesHold);
      return { cases: kept.length, breaches: owed.map((skip) => breach('kept out, and its tick was owed', skip)) };
    },
  },
  {
    name: 'I6, I11',
    promise: 'no call is skipped because of a grant that is over, or was given back',
    check({ skips }) {
      const refused = skips.filter(({ reason }) => reason === 'locked' || reason === 'lock-at-least-for');
      const breaches = refused.flatMap((skip) => {
        const lateMs = skip.at[0] - skip.grantOverMs;
        return lateMs > 0 ? [breach(`skipped as ${skip.reason} ${Math.round(lateMs)} ms after the grant`, skip)] : [];
      });
      return { cases: refused.length, breaches };
    },
  },
  {
    name: 'I7',
    promise: 'each run and each write has the token of its own grant, and an old token is refused',
    check(history) {
      const { grants, runs, writes } = history;
      const strange = [...runs, ...writes].filter(
        ({ attempt, token }) => !grants.some((grant) => grant.token === token && grant.attempt === attempt),
      );
      const refused = writes.filter((write) => !write.isAccepted && !canBeLate(history, write));
      return {
        cases: runs.length + writes.length,
        breaches: [
          ...strange.map((fact) => breach(`token ${fact.token} was granted to another`, fact)),
          ...refused.map((write) => breach(`a write of token ${write.token} was refused`, write)),
        ],
      };
    },
  },
  {
    name: 'I13',
    promise: 'a handler is told to stop before its lease is over; if its host stood still, when the host goes on',
    check(history) {
      const overdue = history.runs.flatMap((run) => {
        const ms = awakeMs(history, run, run.leaseEndsMs ?? Number.POSITIVE_INFINITY, run.ended[0]);
        return ms > 0 ? [breach(`at work for ${Math.round(ms)} ms beyond its lease`, run)] : [];
      });
      const untold = overlaps(history).filter((pair) => {
        const run = withoutLock(...pair);
        // A run that ends in the very turn in which its host goes on may end before its signal aborts.
        const isAwake = awakeMs(history, run, pair[1].began[1], run.ended[0]) > 0;
        return isAwake && run.end !== 'died' && run.returnedMs === undefined;
      });
      return {
        cases: history.runs.filter(({ returnedMs }) => returnedMs !== undefined).length,
        breaches: [...overdue, ...untold.map((pair) => breach('its signal has not aborted', ...pair))],
      };
    },
  },
  {
    name: 'I14',
    promise: 'a handler that asks its signal before a write writes nothing after its lease, or its successor’s start',
    check(history) {
      const asked = history.writes.filter(({ hasAsked }) => hasAsked);
      const breaches = asked.flatMap((write) => {
        const { token, at } = write;
        const run = history.runs.find((one) => one.token === token);
        if (at[0] > (run?.mayOverlapFromMs ?? Number.POSITIVE_INFINITY)) return [];
        const successor = history.runs.find((one) => one.token > token && one.began[1] < at[0]);
        const isOver = at[0] > (run?.leaseEndsMs ?? Number.POSITIVE_INFINITY);
        if (successor) return [breach(`a write after ${successor.token} had started`, write, successor)];
        return isOver ? [breach('a write after its lease', write)] : [];
      });
      return { cases: asked.length, breaches };
    },
  },
];

/** Makes checks of several locks at once out of the invariants. Each breach becomes a text. */
export function over<H>(
  invariants: readonly Invariant[],
  historiesOf: (all: H) => readonly History[],
  show: (breach: Breach, all: H) => string,
): Invariants<H> {
  const checks = invariants.map(({ name, promise, check }) => {
    const checkAll: Invariants<H>[string] = (all) => {
      const findings = historiesOf(all).map(check);
      const cases = findings.reduce((sum, finding) => sum + finding.cases, 0);
      return { cases, breaches: findings.flatMap(({ breaches }) => breaches).map((breach) => show(breach, all)) };
    };
    return [`${promise} (${name})`, checkAll] as const;
  });
  return Object.fromEntries(checks);
}

/** Pairs of runs in which the second run began before the first had ended. */
export function overlaps({ runs }: Pick<History, 'runs'>): [Run, Run][] {
  const inOrder = runs.toSorted((a, b) => a.began[1] - b.began[1]);
  return inOrder.flatMap((next, n) =>
    inOrder.slice(0, n).flatMap((one): [Run, Run][] => (next.began[1] < one.ended[0] ? [[one, next]] : [])),
  );
}

/** Whether a host stood still at some moment between two instants. */
export function stoodStill(
  { standstills }: Pick<History, 'standstills'>,
  host: string,
  [fromMs, toMs]: readonly [number, number],
) {
  return standstills.some((still) => still.host === host && still.fromMs < toMs && fromMs < still.toMs);
}

const breach = (what: string, ...facts: readonly OfAttempt[]): Breach => ({ what, facts });

type SureGrant = Grant & { readonly token: number };
type Begun = SureGrant | Run;

const isSure = (grant: Grant): grant is SureGrant => grant.token !== undefined;

const instantOf = (one: Begun): Between => ('began' in one ? one.began : one.at);

/** All runs, and the grants that led to no run. */
function allBegun({ grants, runs }: History): Begun[] {
  const isOfRun = ({ token, tick }: SureGrant) => runs.some((run) => run.token === token && run.tick === tick);
  return [...runs, ...grants.filter(isSure).filter((grant) => !isOfRun(grant))];
}

/**
 * Whether `next` came after `one`. Tokens show the order of grants. A run that catches up has several beginnings under
 * one token.
 */
function comesAfter(next: Begun, one: Begun): boolean {
  if (next.token !== one.token) return next.token > one.token;
  return 'ended' in one && instantOf(next)[1] >= one.ended[1];
}

function isOpenedBetween({ openings }: History, one: Begun, next: Begun): boolean {
  const fromMs = 'ended' in one ? one.ended[0] : one.at[0];
  return openings.some(
    ({ tick = one.tick, atMs }) => tick === one.tick && fromMs <= atMs && atMs <= instantOf(next)[1],
  );
}

/** Whether a tick can be open because another attempt was granted it before. */
function canHaveBegunBefore({ grants }: History, next: Begun): boolean {
  return grants.some(({ tick, token, at }) => tick === next.tick && token !== next.token && at[0] < instantOf(next)[1]);
}

/** Facts with a smaller token than an earlier fact. */
function fallen(facts: readonly Begun[]): Breach[] {
  const inOrder = facts.toSorted((a, b) => instantOf(a)[1] - instantOf(b)[1]);
  return inOrder.flatMap((next, n) => {
    const before = inOrder.slice(0, n).find((one) => one.token > next.token && instantOf(one)[1] <= instantOf(next)[0]);
    return before ? [breach(`token ${next.token} came after ${before.token}`, before, next)] : [];
  });
}

/**
 * Whether a write can come after a write with a greater token: its handler could not be told to stop, or ignores its
 * signal.
 */
function canBeLate(history: History, { host, token, at }: Write): boolean {
  const run = history.runs.find((one) => one.token === token);
  const mayOverlap = at[1] >= (run?.mayOverlapFromMs ?? Number.POSITIVE_INFINITY);
  return mayOverlap || stoodStill(history, host, [run?.began[0] ?? at[0], at[1]]);
}

/**
 * The run that has lost the lock, of two that overlap: the one with the smaller token. It is the first, or it stood
 * still and began late.
 */
const withoutLock = (one: Run, next: Run): Run => (one.token < next.token ? one : next);

/** The milliseconds of this time in which a run could be told to stop and had to obey. */
function awakeMs({ standstills }: History, run: Run, fromMs: number, toMs: number): number {
  const untilMs = Math.min(toMs, run.mayOverlapFromMs ?? Number.POSITIVE_INFINITY);
  let awake = 0;
  let atMs = fromMs;
  const ofHost = standstills.filter(({ host }) => host === run.host).sort((a, b) => a.fromMs - b.fromMs);
  for (const still of ofHost) {
    if (atMs >= untilMs) break;
    awake += Math.max(0, Math.min(still.fromMs, untilMs) - atMs);
    atMs = Math.max(atMs, still.toMs);
  }
  return awake + Math.max(0, untilMs - atMs);
}
