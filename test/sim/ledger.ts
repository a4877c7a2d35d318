import type * as history from '../support/history/history.js';
import { type Attempt, type Caller, caller, type SkippedEvent, type StoreCallMade } from './caller.js';
import { type Begun, factBook, type SimRun } from './fact-book.js';
import type { Host } from './host.js';
import type { Applied, Item } from './lock-server.js';
import type { Regime } from './regime.js';
import { type TickRules, tickBook } from './tick-book.js';

/** What the reason of a skip says of its tick. While a lock is paused, the tick may be done or open. */
const TICK_OF: Readonly<Record<SkippedEvent['reason'], 'done' | 'maybe' | 'open'>> = {
  'already-executed': 'done',
  'stale-tick': 'done',
  paused: 'maybe',
  locked: 'open',
  'lock-at-least-for': 'open',
  'store-unavailable': 'open',
  'off-schedule': 'open',
};

/** A grant as the store has it. */
interface Grant extends history.Grant {
  readonly token: number;
  readonly atMs: number;
  readonly aheadMs: number;
  readonly leaseMs: number;
  /** When its lease is over by true time. */
  leaseEndsMs: number;
  /** Until when it can have held the lock: its lease, or later if its handler ignored its signal and released then. */
  untilMs: number;
  /** A bar against its attempt had been written, and was overwritten before the grant. */
  readonly barLost: boolean;
  readonly isSecond: boolean;
  readonly isCopy: boolean;
  readonly isManual: boolean;
  /** An operator had deleted the lock or listed the tick of this grant as open. */
  readonly isReopened: boolean;
}

export type StoreKind = 'dynamodb' | 'redis' | 'sql';

export interface Circumstances {
  readonly regime: Regime;
  readonly store: StoreKind;
  readonly rules: TickRules;
  now(): number;
  /** Receives a line for each thing that happens. */
  readonly tell?: ((line: string) => void) | undefined;
}

export type Ledger = ReturnType<typeof ledger>;

export interface Findings {
  readonly grants: number;
  /** Grants of a tick that was older than the newest done tick. */
  readonly reopened: number;
  /** Ticks that a run caught up with: they were marked as done during the run. */
  readonly caughtUp: number;
  readonly runs: number;
  readonly skips: number;
  /** Calls that ended with their lock held, because the store did not answer. */
  readonly leftHeld: number;
  /** Grants without a runner, each with the letter and the cause from docs/protocol.md, "What can remain". */
  readonly remainder: readonly string[];
  readonly violations: readonly string[];
}

/** The fields of a record that a mark changes, besides the end of the lease. */
const TICK_FIELDS = ['doneTick', 'openTicks', 'failedTicks'];

/** The calls whose requests tell the server when they end, by the word with which the server applies them. */
const TIMED: Readonly<Record<string, StoreCallMade['verb']>> = { granted: 'acquire', extended: 'extend' };

/** How long a holder can block beyond its lease: 2 s of padding, and 1 s because Date headers show whole seconds. */
const SLACK_MS = 2_000 + 1_000;
/** Records what the store, the library and the handlers did, and checks it against the promises. */
export function ledger({ regime, store, rules, now, tell = () => {} }: Circumstances) {
  /** Only the server's clock counts, no host's. */
  const isTimeOfServer = store !== 'dynamodb';
  const bornMs = now();
  const violations: string[] = [];
  const grants: Grant[] = [];
  const barred = new Set<string>();
  /** `lockAtLeastFor` of each fulfilled run, by fencing token. */
  const fulfilledRuns = new Map<number, number>();
  /** The older tick that a run is catching up with, by fencing token, from its start to its mark. */
  const begunTicks = new Map<number, number>();
  const mayBeForced = new Set<number>();
  const mayBeDeleted = new Set<number>();
  const forced = new Set<number>();
  /** When a lock was released without `lockAtLeastFor` or freed by force, by the fencing token of its record. */
  const freedAtMs = new Map<number, number>();
  const attempts = new Map<string, Attempt>();
  let current = '';
  /** When an operator last deleted the lock. */
  let deletedMs = 0;
  let skipped = 0;
  let leftHeld = 0;

  const violation = (invariant: string, what: string) => {
    tell(`VIOLATION of ${invariant}: ${what}`);
    violations.push(`${invariant}: ${what}`);
  };
  const ticks = tickBook({ ...rules, now, violation });
  const facts = factBook({ regime, rules, now, tell, violation });
  const number = (value: unknown) => Number(value ?? 0);

  /**
   * Whether the `lockAtLeastFor` of the run with this token does not keep out a tick: that run succeeded, and either it
   * had no tick, or this tick was due when it began, or is listed.
   */
  const passesHold = (tick: number | undefined, token: number, lockedAtMs: number): boolean => {
    const run = grants.find((grant) => grant.token === token);
    if (tick === undefined || !run || !fulfilledRuns.has(token)) return false;
    return run.tick === undefined || tick <= lockedAtMs || ticks.isListed(tick);
  };

  const onGrant = ({ host, before = {}, after, isCopy }: Applied) => {
    const atMs = now();
    const token = number(after['fencingToken']);
    const attemptId = String(after['attemptId']);
    const { tick, isManual = false } = attempts.get(attemptId) ?? {};
    const passes = passesHold(tick, number(before['fencingToken']), number(before['lockedAt']));
    if (before['state'] === 'held') ticks.failed(grants.at(-1)?.tick);
    ticks.granted(tick);
    const takeoverSkewMs = regime.dateless > 0 ? 2 * regime.skewMs : 0;
    const untilMs = number(before['lockUntil']);
    if (before['state'] === 'held' && atMs + takeoverSkewMs < untilMs) {
      violation(
        'I4',
        `grant ${token} took over ${untilMs - atMs} ms before the lease of ${before['fencingToken']} ended`,
      );
    }
    const releaseSkewMs = isTimeOfServer ? 0 : 4 * regime.skewMs;
    const areClocksTrue = isTimeOfServer || (regime.skewMs <= 5 && !regime.steps);
    const isKept = before['state'] === 'released' && areClocksTrue && !passes;
    if (barsOf(before).includes(attemptId)) violation('I8', 'an attempt that is over was granted');
    const barLost = barred.has(attemptId) && !barsOf(before).includes(attemptId);
    const isSecond = grants.some((grant) => grant.attempt === attemptId);
    const leaseMs = number(after['leaseMs']);
    current = attemptId;
    grants.push({
      attempt: attemptId,
      host: host.name,
      tick,
      at: [atMs, atMs],
      token,
      notBeforeMs: isKept ? untilMs - releaseSkewMs : undefined,
      atMs,
      aheadMs: host.aheadMs(),
      leaseMs,
      leaseEndsMs: atMs + leaseMs,
      untilMs: atMs + leaseMs,
      barLost,
      isSecond,
      isCopy,
      isManual,
      isReopened: ticks.openedMs(tick) > 0,
    });
  };

  /**
   * Whether nothing refused a second grant to the same attempt: meanwhile a successor crashed, kept the lock for its
   * `lockAtLeastFor`, or was ended by force. Redis bars every attempt that has run.
   */
  const isUnfenced = (grant: Grant): boolean => {
    if (store === 'redis' || !grant.isSecond) return false;
    const first = grants.findIndex(({ attempt }) => attempt === grant.attempt);
    const between = grants.slice(first, grants.indexOf(grant));
    return between.some(({ token }) => forced.has(token) || !freedAtMs.has(token));
  };

  /** A delete forgets the ticks, by design. It must not forget the fencing token. */
  const onDelete = (before: Item) => {
    const token = number(before['fencingToken']);
    const isHeld = before['state'] === 'held' && now() < number(before['lockUntil']);
    if (isHeld || !mayBeDeleted.has(token)) violation('I4', `the lock of grant ${token} was deleted`);
    deletedMs = now();
    ticks.forget();
  };

  /**
   * Reports a call that is over but still holds the lock, unless its store never answered. Grants without a runner are
   * reported by `close`.
   */
  const onOver = ({ id, end, isUnheard, isDone }: Attempt) => {
    const grant = grants.findLast(({ attempt }) => attempt === id);
    const isForgotten = isDone && grant?.isReopened;
    const isCounted = grant?.barLost || grant?.isSecond || isForgotten || (grant?.isCopy && end !== 'acquired');
    if (current !== id || (store === 'sql' ? grant?.isSecond : isCounted)) return;
    if (isUnheard) leftHeld++;
    else violation('I8', `${end}, and over, while it holds the lock`);
  };
  /** From when on the grant of this token refuses nobody. A refusal without a token comes from a deleted lock. */
  const overMs = (token: number | undefined): number => {
    if (token === undefined) return deletedMs;
    const freedMs = freedAtMs.get(token) ?? Number.POSITIVE_INFINITY;
    const held = grants.find((grant) => grant.token === token);
    const isKnown = isTimeOfServer || (regime.dateless === 0 && !regime.steps);
    if (!held || !isKnown) return freedMs;
    const aheadMs = isTimeOfServer ? 0 : Math.max(0, held.aheadMs);
    return Math.min(freedMs, held.untilMs + aheadMs + SLACK_MS + regime.staleMs + regime.pauseMs);
  };
  const onAttempt = (attempt: Attempt) => {
    attempt.isDone = attempt.tick !== undefined && ticks.isClosed(attempt.tick);
    attempt.isListed = ticks.isListed(attempt.tick);
    attempts.set(attempt.id, attempt);
  };
  const onFailed = (code: unknown, attempt: Attempt | undefined) => {
    if (code === 'UNSETTLED' && attempt?.isDone && ticks.openedMs(attempt.tick) < attempt.begunMs)
      violation('I3', 'UNSETTLED of a tick that was done before');
  };
  const onSkipped = ({ reason, tick: due, holder }: SkippedEvent, attempt: Attempt | undefined) => {
    skipped++;
    if (!attempt) return;
    if (TICK_OF[reason] !== 'open') attempt.isDone = true;
    const { id, host, begunMs, isListed } = attempt;
    const tick = due?.getTime();
    const grantOverMs = overMs(holder?.fencingToken);
    // The tick may have been listed only after the store had refused it.
    const isSure = isListed === ticks.isListed(tick);
    const passes = isSure && passesHold(tick, holder?.fencingToken ?? 0, Date.parse(holder?.lockedAt ?? ''));
    facts.skipped({
      attempt: id,
      host: host.name,
      tick,
      at: [begunMs, now()],
      reason,
      passesHold: passes,
      grantOverMs,
    });
    if (TICK_OF[reason] !== 'done') return;
    if (tick === undefined) violation('I17', `a call without a tick was skipped as ${reason}`);
    else ticks.skipped(reason, tick, begunMs);
  };
  /** Only an operator, or a run that goes on, may change the lists of ticks. */
  const onTicks = ({ before = {}, after, by }: Applied, grant: Grant | undefined) => {
    if (TICK_FIELDS.every((field) => after[field] === before[field])) return;
    if (after['state'] !== 'held' || by !== grant?.attempt) return ticks.listed(before, after);
    ticks.marked(grant?.tick, begunTicks.get(number(after['fencingToken'])));
    begunTicks.delete(number(after['fencingToken']));
  };
  /** A grant and an extension come within the time of their call, and a release is applied however late it comes. */
  const onAsked = ({ before = {}, by, asked }: Applied) => {
    const isHolder = before['state'] === 'held' && before['attemptId'] === by;
    if (asked?.word === 'other' && isHolder) {
      violation('I16', `the release of grant ${before['fencingToken']} was refused`);
    }
    const verb = asked && TIMED[asked.word];
    if (!verb || !asked.knowsTime) return;
    const { calls = [] } = attempts.get(String(by)) ?? {};
    const call = calls.findLast((made) => made.verb === verb && made.begunMs <= asked.atMs);
    if (!call) return;
    const { begunMs, budgetMs, endedMs = Number.POSITIVE_INFINITY } = call;
    // The time of a call stands still while its host is suspended.
    const overMs = Math.max(begunMs + budgetMs, regime.suspends ? endedMs : 0);
    const lateMs = now() - overMs - (1 + regime.drift * (now() - bornMs));
    if (lateMs > 0)
      violation('I15', `the ${verb} of ${String(by)} was applied ${Math.round(lateMs)} ms after its call`);
  };
  const onWritten = (applied: Applied) => {
    onAsked(applied);
    const { before = {}, after } = applied;
    for (const bar of barsOf(after)) barred.add(bar);
    const isNew = after['attemptId'] !== before['attemptId'];
    if (isNew && after['state'] === 'held') return onGrant(applied);
    if (after['state'] !== 'held') current = '';
    const isFreed = after['state'] === 'forced' || after['lockUntil'] === after['releasedAt'];
    if (before['state'] === 'held' && after['state'] !== 'held' && isFreed) {
      freedAtMs.set(number(after['fencingToken']), now());
    }
    if (after['state'] === 'forced' && before['state'] !== 'forced') {
      const token = number(before['fencingToken']);
      if (before['state'] !== 'held' || !mayBeForced.has(token)) violation('I4', `grant ${token} was freed by force`);
      forced.add(token);
      facts.forced(token);
      ticks.failed(grants.at(-1)?.tick);
      return;
    }
    if (isNew && after['state'] === 'deleted') return onDelete(before);
    const grant = grants.at(-1);
    if (after['state'] === before['state'] && !isNew) onTicks(applied, grant);
    if (isNew) violation('I4', 'attempt changed by a write that grants nothing');
    const isOfGrant = after['lockUntil'] !== before['lockUntil'] || after['state'] !== before['state'];
    if (isOfGrant && applied.by !== before['attemptId']) violation('I4', 'a grant was changed by another attempt');
    if (before['state'] === 'held' && after['state'] === 'held') {
      if (number(after['lockUntil']) < number(before['lockUntil'])) violation('I9', 'a lease was shortened');
      if (grant && after['lockUntil'] !== before['lockUntil']) {
        grant.leaseEndsMs = now() + grant.leaseMs;
        grant.untilMs = grant.leaseEndsMs;
      }
    }
    if (before['state'] === 'held' && after['state'] === 'released' && grant) {
      grant.untilMs = Math.max(grant.untilMs, now());
      if (fulfilledRuns.has(grant.token)) ticks.done(grant.tick);
      else if (grant.isManual && !isFreed) violation('I17', `run ${grant.token}, by hand, failed and keeps its lock`);
      else ticks.failed(grant.tick, begunTicks.get(grant.token));
    }
    if (before['state'] !== 'held' && after['state'] === 'held') violation('I4', 'held without a grant');
    const lockAtLeastFor = fulfilledRuns.get(number(after['fencingToken']));
    if (after['state'] === 'released' && lockAtLeastFor !== undefined) {
      const shortMs = number(after['lockedAt']) + lockAtLeastFor - number(after['lockUntil']);
      if (shortMs > 0) violation('I5', `released ${shortMs} ms before lockAtLeastFor ends`);
    }
  };

  /** Checks the rows that a write has added to the history. */
  const onRows = ({ before = {}, after }: Applied) => {
    for (const [field, row] of Object.entries(after)) {
      if (!/^r\d$/.test(field) || row === before[field]) continue;
      const [, tick, , , token = ''] = String(row).split('|');
      const grant = grants.findLast((one) => one.token === Number.parseInt(token, 36));
      const expected = grant?.isManual ? '!' : (grant?.tick?.toString(36) ?? '');
      if (grant && tick !== expected) violation('I17', `the history has '${tick}' as tick of run ${grant.token}`);
    }
  };

  return {
    onApplied(applied: Applied) {
      const { host, before = {}, after, isCopy } = applied;
      tell(`store, ${host.name}${isCopy ? ', a copy' : ''}: ${changes(before, after)}`);
      onWritten(applied);
      onRows(applied);
      ticks.expectRecord(after);
    },

    caller: (host: Host, isManual = false): Caller =>
      caller(host, isManual, {
        tell,
        now,
        onAttempt,
        onOver,
        onSkipped,
        onFailed,
        onMistake: (error) => violation('I10', error),
      }),

    start(begun: Begun): SimRun {
      const { token, tick, isCatchUp, previous } = begun;
      const before = grants.findLast((grant) => grant.token === previous?.fencingToken);
      if (before && before.tick !== previous?.tick?.getTime()) {
        violation('I17', `run ${token} has ${previous?.tick} as tick of run ${before.token}`);
      }
      if (isCatchUp && tick !== undefined) begunTicks.set(token, tick);
      return facts.started(
        begun,
        grants.find((grant) => grant.token === token),
        forced.has(token),
      );
    },

    write: facts.wrote,

    end: facts.ended,

    succeeded: facts.succeeded,

    standsStill: facts.standsStill,

    crashes: facts.crashes,

    /** An operator changes the lists of ticks. */
    mayChange: ticks.mayChange,

    /** The oldest open tick that is older than the newest done tick. */
    reopenable: ticks.reopenable,

    fulfilled(run: SimRun, lockAtLeastFor: number) {
      run.end = 'returned';
      if (!run.isCatchUp) fulfilledRuns.set(run.token, lockAtLeastFor);
      if (run.tick !== undefined) ticks.fulfilled(run.tick);
    },

    /** An operator is about to free the lock from this grant. */
    mayBeForced(token: number) {
      mayBeForced.add(token);
    },

    grants: () => grants.length,

    /** An operator is about to delete the lock, whose record had this token. */
    mayBeDeleted(token: number) {
      mayBeDeleted.add(token);
    },

    /** Whether an operator has freed the lock from this grant. */
    isForced: (token: number) => forced.has(token),

    tell,

    violation,

    /** Checks the whole world at its end, when no request is under way. */
    close(item: Readonly<Record<string, unknown>> | undefined): Findings {
      const remainder: string[] = [];
      for (const grant of grants) {
        const caller = attempts.get(grant.attempt);
        if (caller === undefined || (caller.end === 'acquired' && !grant.isSecond) || !caller.host.isUp()) continue;
        if (caller.end === 'failed') {
          // The grant came after its caller had been told of the failure, and no cancel came before it.
          if (grant.atMs > (caller.atMs ?? now())) leftHeld++;
          continue;
        }
        // The caller learned nothing before its lease ended and another took the lock: this is the same as a crash.
        if (!grant.isCopy && !grant.barLost && grant.atMs < (caller.atMs ?? now())) continue;
        // On a database the row's version refuses every write that comes late or twice.
        const isVersioned = store === 'sql';
        if (grant.barLost && !isVersioned) remainder.push('a: its bar had been overwritten');
        else if (caller.isDone && grant.isReopened && !isVersioned)
          remainder.push('d: its tick was done, and an operator opened it');
        else if (isUnfenced(grant)) remainder.push('b: an attempt that had run was granted again');
        else if (grant.isCopy && caller.end === 'skipped' && !isVersioned)
          remainder.push('c: a copy of a request that was refused');
        else violation('I8', `grant ${grant.token} has no runner: its caller was ${caller.end}`);
        if (
          item?.['attemptId'] === grant.attempt &&
          item['state'] === 'held' &&
          number(item['lockUntil']) > now() + Math.max(0, grant.aheadMs)
        ) {
          violation('I8', `grant ${grant.token} without a runner is not free after its lease`);
        }
      }
      facts.close(grants, ticks.openings);
      const [reopened, caughtUp] = [ticks.reopened(), ticks.caughtUp()];
      return {
        grants: grants.length,
        reopened,
        caughtUp,
        runs: facts.runs(),
        skips: skipped,
        leftHeld,
        remainder,
        violations,
      };
    },
  };
}

/** The ids of the attempts that a record bars. */
function barsOf(item: Item): readonly string[] {
  const { barredAttempt, barredAttempts } = item;
  if (barredAttempt !== undefined) return [String(barredAttempt)];
  return barredAttempts === undefined ? [] : String(barredAttempts).split(',');
}

function changes(before: Item, after: Item): string {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((f) => before[f] !== after[f]);
  return fields.map((field) => `${field}=${after[field] ?? ''}`).join(' ') || 'nothing';
}
