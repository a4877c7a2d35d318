import type { LockEvent } from 'single-execution';
import type { Host } from './host.js';
import type { Applied } from './lock-server.js';
import type { Regime } from './regime.js';

/** A grant as the table has it. */
interface Grant {
  readonly attemptId: string;
  readonly token: number;
  readonly host: Host;
  readonly aheadMs: number;
  readonly leaseMs: number;
  readonly atMs: number;
  /** When its lease was last set. */
  renewedMs: number;
  /** Its bar had been written, and was overwritten, before it came. */
  readonly barLost: boolean;
  readonly isSecond: boolean;
  readonly isCopy: boolean;
}

/** A run of a handler. */
export interface Run {
  readonly host: Host;
  readonly token: number;
  readonly tick: number | undefined;
  hasEnded: boolean;
}

export interface Findings {
  readonly grants: number;
  readonly runs: number;
  readonly skips: number;
  /** Callers that were told of an error, because the store went on saying nothing, while they held the lock. */
  readonly told: number;
  /** Grants without a runner of the kinds that docs/protocol.md names. */
  readonly remainder: readonly string[];
  readonly violations: readonly string[];
}

/** What a dead holder can block beyond its lease: padding, the header's second, a try under way, a cancel. */
const SLACK_MS = 2_000 + 1_000 + 1_500 + 2_500;

/** Writes down what the table, the library and the handlers did, and holds it against what is promised. */
export function ledger(regime: Regime, tickMark: 'success' | 'start', now: () => number) {
  const violations: string[] = [];
  const grants: Grant[] = [];
  const runs: Run[] = [];
  const barred = new Set<string>();
  const doneTicks = new Set<number>();
  const fulfilledTicks = new Set<number>();
  const forced = new Set<number>();
  const asked = new Map<string, { host: Host; end: 'none' | 'acquired' | 'skipped' | 'failed'; atMs?: number }>();
  let current = '';
  const startsOfTick = new Map<number, number>();
  let skips = 0;
  let told = 0;
  let newestStarted = 0;

  const violation = (invariant: string, what: string) => violations.push(`${invariant} at ${now()}: ${what}`);
  const number = (value: unknown) => Number(value ?? 0);

  const onGrant = ({ atMs, host, before = {}, after, isCopy }: Applied) => {
    const token = number(after['fencingToken']);
    const attemptId = String(after['attemptId']);
    const newest = grants.at(-1)?.token ?? 0;
    if (token <= newest) violation('I2', `token ${token} after ${newest}`);
    if (after['tick'] !== undefined && number(before['doneTick']) >= number(after['tick'])) {
      violation('I3', `tick ${after['tick']} granted when ${before['doneTick']} was done`);
    }
    if (doneTicks.has(number(after['tick'])))
      violation('I3', `tick ${after['tick']} granted after its success was recorded`);
    const tolerance = regime.dateless > 0 ? 2 * regime.skewMs : 0;
    const untilMs = number(before['lockUntil']);
    if (before['state'] === 'held' && atMs + tolerance < untilMs) {
      violation(
        'I4',
        `grant ${token} took over ${untilMs - atMs} ms before the lease of ${before['fencingToken']} ended`,
      );
    }
    if (before['state'] === 'released' && regime.skewMs <= 5 && !regime.steps && atMs + 4 * regime.skewMs < untilMs) {
      violation('I5', `grant ${token} ${untilMs - atMs} ms before lockAtLeastFor ended`);
    }
    const barLost = barred.has(attemptId) && before['barredAttempt'] !== attemptId;
    const isSecond = grants.some((grant) => grant.attemptId === attemptId);
    const leaseMs = number(after['leaseMs']);
    current = attemptId;
    grants.push({
      attemptId,
      token,
      host,
      aheadMs: host.aheadMs(),
      leaseMs,
      atMs,
      renewedMs: atMs,
      barLost,
      isSecond,
      isCopy,
    });
  };

  return {
    onApplied(applied: Applied) {
      const { before = {}, after } = applied;
      if (after['barredAttempt'] !== before['barredAttempt']) barred.add(String(after['barredAttempt']));
      const isNew = after['attemptId'] !== before['attemptId'];
      if (isNew && after['state'] === 'held') return onGrant(applied);
      if (after['state'] !== 'held') current = '';
      if (after['state'] === 'forced') {
        if (before['state'] === 'held') forced.add(number(before['fencingToken']));
        return;
      }
      if (isNew) violation('I4', 'attempt changed by a write that grants nothing');
      const isOfGrant = after['lockUntil'] !== before['lockUntil'] || after['state'] !== before['state'];
      if (isOfGrant && applied.by !== before['attemptId']) violation('I4', 'a grant was changed by another attempt');
      if (before['state'] === 'held' && after['state'] === 'held') {
        if (number(after['lockUntil']) < number(before['lockUntil'])) violation('I9', 'a lease was shortened');
        const grant = grants.at(-1);
        if (grant && after['lockUntil'] !== before['lockUntil']) grant.renewedMs = applied.atMs;
      }
      if (before['state'] !== 'held' && after['state'] === 'held') violation('I4', 'held without a grant');
    },

    onEvent(host: Host, event: LockEvent) {
      const id = event.attemptId ?? '';
      if (event.type === 'attempted') asked.set(id, { host, end: 'none' });
      if (event.type === 'acquired') asked.set(id, { host, end: 'acquired' });
      if (event.type === 'acquire-failed') {
        asked.set(id, { host, end: 'failed' });
        const { code } = event.error as { code?: string };
        if (current === id && (code === 'UNAVAILABLE' || code === 'UNSETTLED')) told++;
      }
      if (event.type !== 'skipped') return;
      asked.set(id, { host, end: 'skipped', atMs: now() });
      const grant = grants.findLast(({ attemptId }) => attemptId === id);
      if (current === id && !grant?.isCopy) violation('I8', 'skipped while it holds the lock');
      skips++;
      const isDone = event.reason === 'already-executed' && tickMark === 'success';
      if (isDone && !fulfilledTicks.has(event.tick?.getTime() ?? 0))
        violation('I3', 'skipped as executed, and no run succeeded');
      if (event.reason !== 'locked') return;
      const held = grants.find(({ token }) => token === event.holder?.fencingToken);
      if (!held) return;
      const boundMs =
        held.renewedMs + held.leaseMs + Math.max(0, held.aheadMs) + SLACK_MS + regime.staleMs + regime.pauseMs;
      if (regime.dateless === 0 && !regime.steps && now() > boundMs) {
        violation('I6', `skipped as locked ${now() - boundMs} ms after grant ${held.token} can have lasted`);
      }
    },

    /** A handler starts. */
    start(host: Host, token: number, tick: number | undefined): Run {
      const run: Run = { host, token, tick, hasEnded: false };
      if (regime.pauseMs === 0) {
        const other = runs.find((r) => !r.hasEnded && r.host.isUp() && !forced.has(r.token));
        if (other) violation('I1', `run ${token} started while ${other.token} ran`);
      }
      if (tick !== undefined && tickMark === 'start') {
        const starts = (startsOfTick.get(tick) ?? 0) + 1;
        startsOfTick.set(tick, starts);
        if (starts > 1) violation('I3', `tick ${tick} started ${starts} times`);
      }
      newestStarted = Math.max(newestStarted, token);
      runs.push(run);
      return run;
    },

    /** A run of this tick has succeeded, and its release is recorded. */
    succeeded(tick: number) {
      if (tickMark === 'success') doneTicks.add(tick);
    },

    /** A handler of this tick has fulfilled. */
    fulfilled(tick: number) {
      fulfilledTicks.add(tick);
    },

    /** A handler that still holds its lock, as far as it knows, writes. */
    write(run: Run) {
      if (run.token < newestStarted && !forced.has(run.token)) {
        violation('I1', `run ${run.token} wrote after ${newestStarted} had started`);
      }
    },

    end(run: Run) {
      run.hasEnded = true;
    },

    violation,

    /** At the end of the world, when nothing is under way. */
    close(item: Readonly<Record<string, unknown>> | undefined): Findings {
      const remainder: string[] = [];
      for (const grant of grants) {
        const caller = asked.get(grant.attemptId);
        if (caller === undefined || (caller.end === 'acquired' && !grant.isSecond) || !caller.host.isUp()) continue;
        if (caller.end === 'failed') continue;
        if (grant.isCopy) {
          remainder.push('c: a copy of a request that was refused');
          continue;
        }
        // Nobody told the caller before the lease was over and taken by another: the same as a crash.
        if (grant.atMs < (caller.atMs ?? now())) continue;
        if (grant.isSecond) remainder.push('b: an attempt that had run was granted again');
        else if (grant.barLost) remainder.push('a: its bar had been overwritten');
        else violation('I8', `grant ${grant.token} has no runner: its caller was ${caller.end}`);
        if (
          item?.['attemptId'] === grant.attemptId &&
          item['state'] === 'held' &&
          number(item['lockUntil']) > now() + Math.max(0, grant.aheadMs)
        ) {
          violation('I8', `grant ${grant.token} without a runner is not free after its lease`);
        }
      }
      return { grants: grants.length, runs: runs.length, skips, told, remainder, violations };
    },
  };
}
