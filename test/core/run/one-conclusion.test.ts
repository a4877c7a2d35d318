import fc from 'fast-check';
import { CorruptLockError, type LockEvent, LockStoreError, type RefusalReason } from 'single-execution';
import { otelObserver } from 'single-execution/observe';
import { cron } from 'single-execution/schedule';
import { manualClock, recordingObserver } from 'single-execution/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { resolvePolicy } from '../../../src/core/options/policy.js';
import type { AcquireResult, LockStore, MarkResult, ReleaseResult } from '../../../src/core/ports/lock-store.js';
import { run } from '../../../src/core/run/engine.js';
import type { Order } from '../../../src/core/run/invocation.js';
import { pass } from '../../support/clocks.js';
import { NOW } from '../../support/memory-locks.js';
import { grantOf, scriptedStore } from '../../support/scripted-store.js';

/*
 * Every door of the library calls `run`. Whatever becomes of that call, observers hear of one beginning and of one end.
 */

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const HOUR = 3_600_000;
const LEASE_MS = 60_000;
const TICK = NOW + 6 * HOUR;

const unavailable = (operation: 'acquire' | 'mark' | 'release') =>
  new LockStoreError('down', { code: 'UNAVAILABLE', lockName: 'digest', operation, retryable: true });
const fault = <R extends string>(...results: R[]) =>
  fc.constantFrom<R | 'fails' | 'hangs'>(...results, 'fails', 'hangs');
const EACH_REFUSAL: Record<RefusalReason, true> = {
  locked: true,
  'lock-at-least-for': true,
  'already-executed': true,
  'stale-tick': true,
  paused: true,
};
const REFUSALS = Object.keys(EACH_REFUSAL) as RefusalReason[];

const anyCall = fc.record({
  /** What the store answers to each acquire in turn; to the last ones the same. */
  acquires: fc.array(
    fault(
      'granted',
      'granted',
      'granted',
      'granted',
      'granted late',
      'granted over',
      'denied',
      'corrupt',
      ...REFUSALS,
      'locked',
      'locked',
    ),
    { minLength: 1, maxLength: 4 },
  ),
  mark: fault('marked', 'lost'),
  release: fault('released', 'released', 'lost', 'unknown'),
  task: fc.constantFrom('returns', 'throws', 'outlasts its lease', 'waits for its signal'),
  past: fc.constantFrom('none', 'open ticks', 'many open ticks'),
  catchUp: fc.constantFrom('none', 'all', 'latest', 'broken schedule'),
  offSchedule: fc.constantFrom('run', 'skip'),
  onStoreError: fc.constantFrom('throw', 'skip', 'run'),
  waitMs: fc.constantFrom(0, 0, 2_000),
  /** When the process is told to end, and when the platform ends the run; both after the call. */
  shutdownMs: fc.constantFrom(undefined, undefined, 0, 1, 700, 3_000),
  remainingMs: fc.constantFrom(undefined, undefined, -1, 0, 500, 5_000),
  keepAlive: fc.boolean(),
  tickMark: fc.constantFrom('success', 'success', 'start'),
  isOff: fc.constantFrom(false, false, false, true),
  isTraced: fc.boolean(),
});
type Call = Parameters<
  Parameters<typeof fc.property<[typeof anyCall extends fc.Arbitrary<infer C> ? C : never]>>[1]
>[0];

test('row 46: every call has one beginning, one end that comes after it, and one span that ends', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyCall, async (call) => {
      const { events, spans, ended } = await play(call);
      const types = events.map(({ type }) => type);
      const ends = events.filter(isEnd);
      const beginnings = types.filter((type) => type === 'attempted');

      expect(beginnings, 'beginnings').toHaveLength(call.isOff ? 0 : 1);
      expect(ends, 'ends').toHaveLength(1);
      const [end] = ends;
      if (!call.isOff) expect(types.indexOf('attempted')).toBeLessThan(events.indexOf(end as LockEvent));
      expect(end, 'as the caller is told').toMatchObject(ended);
      expect(spans).toEqual({ begun: 1, ended: 1 });
      seen.add(nameOf(end as LockEvent));
    }),
    { numRuns: 600 },
  );

  // The property means nothing if chance leaves an end out.
  expect([...seen].sort()).toEqual([
    'acquire-failed ACCESS_DENIED',
    'acquire-failed CORRUPT_LOCK',
    'acquire-failed LATE',
    'acquire-failed SHUTDOWN',
    'acquire-failed UNAVAILABLE',
    'acquire-failed no calendar',
    'failed lost',
    'failed none',
    'failed released',
    'failed unknown',
    'finished lost',
    'finished none',
    'finished released',
    'finished unknown',
    ...[...REFUSALS, 'store-unavailable'].sort().map((reason) => `skipped ${reason}`),
  ]);
});

/** Whether an event ends a call, by the sentence at `LockEvent`. */
function isEnd(event: LockEvent): boolean {
  if (event.type === 'acquire-failed') return event.next === 'throw';
  return ['finished', 'failed', 'skipped'].includes(event.type);
}

function nameOf(event: LockEvent): string {
  if (event.type === 'skipped') return `skipped ${event.reason}`;
  if (event.type === 'finished' || event.type === 'failed') return `${event.type} ${event.release}`;
  const { code, message } = ('error' in event ? event.error : {}) as { code?: string; message?: string };
  return `${event.type} ${code ?? message}`;
}

/** Plays one call to its end, and says how its caller was told of it. */
async function play(call: Call) {
  vi.stubEnv('SINGLE_EXECUTION_DISABLED', call.isOff ? '1' : '');
  const clock = manualClock(TICK);
  const observer = recordingObserver();
  const { tracer, spans } = countingTracer();
  const otel = otelObserver({ tracer });
  const schedule =
    call.catchUp === 'broken schedule'
      ? {
          ...cron('0 * * * *'),
          previous: () => {
            throw new Error('no calendar');
          },
        }
      : cron('0 * * * *');
  const mode = call.catchUp === 'broken schedule' || call.tickMark === 'start' ? 'none' : call.catchUp;
  const policy = resolvePolicy(
    {
      store: storeOf(call, clock),
      clock,
      // A program may wrap the observer, which then is not asked for a trace.
      observers: [observer, call.isTraced ? otel : (event) => otel(event)],
      schedule,
      catchUp: { mode, max: 3 },
      offSchedule: call.offSchedule,
      onStoreError: call.onStoreError,
      wait: call.waitMs,
      tickMark: call.tickMark,
      lockAtMostFor: LEASE_MS,
      ...(call.keepAlive && { keepAlive: true, maxHold: '2m' }),
    },
    [],
  );
  const shutdown = new AbortController();
  if (call.shutdownMs === 0) shutdown.abort();
  else if (call.shutdownMs !== undefined) clock.setTimer(() => shutdown.abort(), call.shutdownMs);
  const order: Order = {
    name: 'digest',
    lockedBy: 'me',
    leaseMs: LEASE_MS,
    tickMs: TICK,
    shutdown: shutdown.signal,
    ...(call.remainingMs !== undefined && { deadlineMono: call.remainingMs }),
  };
  const thrown = new Error('no data');
  const ended = run(
    async ({ signal }) => {
      if (call.task === 'throws') throw thrown;
      if (call.task === 'outlasts its lease') await pass(clock, 2 * LEASE_MS);
      if (call.task === 'waits for its signal') await Promise.race([pass(clock, 4 * LEASE_MS), aborted(signal)]);
    },
    order,
    policy,
  ).then(
    (outcome): object =>
      outcome.status === 'skipped'
        ? { type: 'skipped', reason: outcome.reason }
        : { type: 'finished', release: outcome.release },
    (error): object => ({ error }),
  );
  await clock.advance(20 * LEASE_MS);
  return { events: observer.events, spans, ended: await ended };
}

function storeOf({ acquires, mark, release, past }: Call, clock: ReturnType<typeof manualClock>): LockStore {
  let tries = 0;
  const answer = async <R>(
    result: string,
    operation: 'acquire' | 'mark' | 'release',
    budgetMs: number,
    give: () => R,
  ) => {
    if (result === 'hangs') await pass(clock, budgetMs);
    if (result === 'hangs' || result === 'fails') throw unavailable(operation);
    return give();
  };
  const pastOf = {
    none: {},
    'open ticks': { doneTickMs: NOW, failedTicksMs: [NOW + HOUR, NOW + 2 * HOUR] },
    'many open ticks': { failedTicksMs: Array.from({ length: 120 }, (_, n) => TICK - (120 - n) * 60_000) },
  } as const;
  return scriptedStore({
    async acquire(claim, params) {
      const result = acquires[Math.min(tries++, acquires.length - 1)] ?? 'fails';
      if (result === 'granted late') await pass(clock, 1_000);
      return answer<AcquireResult>(result, 'acquire', params.budgetMs, () => {
        if (result === 'denied') throw denied();
        if (result === 'corrupt') throw new CorruptLockError('digest', 'lockUntil', 'no instant');
        if (REFUSALS.includes(result as RefusalReason)) return { status: 'refused', reason: result as RefusalReason };
        const granted = grantOf(claim, params);
        const lease = { ...granted.lease, ...pastOf[past] };
        return { ...granted, lease, ...(result === 'granted over' && { capMono: clock.monotonic() - 1 }) };
      });
    },
    extend: async (lease, { leaseMs }, params) => ({
      status: 'extended',
      lockUntilMs: lease.lockUntilMs + leaseMs,
      firstSentMono: params.clock.monotonic(),
      firstSentWall: params.clock.now(),
    }),
    mark: (lease, { leaseMs }, params) =>
      answer<MarkResult>(mark, 'mark', params.budgetMs, () => {
        if (mark === 'lost') return { status: 'lost' };
        const sent = { firstSentMono: clock.monotonic(), firstSentWall: clock.now() };
        return { status: 'marked', lease: { ...lease, lockUntilMs: clock.now() + leaseMs }, ...sent };
      }),
    release: (_, __, params) => answer(release, 'release', params.budgetMs, () => release as ReleaseResult),
  });
}

const denied = () =>
  new LockStoreError('denied', { code: 'ACCESS_DENIED', lockName: 'digest', operation: 'acquire', retryable: false });

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

function countingTracer() {
  const spans = { begun: 0, ended: 0 };
  return {
    spans,
    tracer: {
      startSpan() {
        spans.begun++;
        return {
          spanContext: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 }),
          setAttributes: () => undefined,
          addEvent: () => undefined,
          setStatus: () => undefined,
          end: () => void spans.ended++,
        };
      },
    },
  };
}
