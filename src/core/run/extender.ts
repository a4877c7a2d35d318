import type { Settings } from '../options/policy.js';
import type { DoneTick, Lease, StoreCall } from '../ports/lock-store.js';
import { toStoreError } from '../public/errors.js';
import type { Clock, Sent, Timer } from '../values/clock.js';
import { dateOf } from '../values/tick.js';
import { extendCall } from './deadlines.js';
import { holdOf } from './hold.js';
import type { Invocation } from './invocation.js';
import type { LeaseWatch } from './lease-watch.js';

/** Extends the lease of one run and marks its ticks, one call after the other. */
export interface Extender {
  /** The lease after the last call. */
  readonly lease: Lease;
  /**
   * Holds the lock for `leaseMs` from now on. Never shortens the lease.
   *
   * @returns `lost` if this run no longer has the lock, or has ended; the watch is updated too
   * @throws LockStoreError, CorruptLockError when the store failed; the lease may have been extended or not
   */
  extend(leaseMs: number): Promise<'extended' | 'lost'>;
  /**
   * Marks an open tick as done, and extends the lease. `lost`: this run no longer has the lock, or has ended.
   *
   * @throws LockStoreError, CorruptLockError when the store failed; the tick may be marked or not
   */
  mark(done: DoneTick): Promise<'marked' | 'lost'>;
  /** Ends a call in progress and refuses further calls: nothing is sent once the promise has resolved. */
  close(): Promise<void>;
}

export function leaseExtender(
  granted: Lease,
  watch: LeaseWatch,
  { policy, report }: Pick<Invocation, 'policy' | 'report'>,
): Extender {
  const closing = closingSignal();
  let lease = granted;
  const calls = oneAfterAnother();

  const callWhileHeld = () => callOf(watch, policy, closing);
  const keep = (kept: Lease, sent: Sent & { readonly leaseMs: number; readonly capMono?: number }) => {
    lease = kept;
    watch.renew(holdOf({ ...sent, lockUntilMs: kept.lockUntilMs }, sent.capMono, watch.hold));
  };

  const extendNow = async (leaseMs: number): Promise<'extended' | 'lost'> => {
    const call = callWhileHeld();
    if (!call) return 'lost';
    try {
      const result = await policy.store.extend(lease, { leaseMs }, call);
      if (result.status === 'lost') watch.lose();
      else keep({ ...lease, lockUntilMs: result.lockUntilMs }, { ...result, leaseMs });
      if (result.status === 'lost' || watch.isLost()) return 'lost';
      report({ type: 'extended', fencingToken: lease.fencingToken, lockUntil: dateOf(result.lockUntilMs) });
      return 'extended';
    } catch (cause) {
      const error = toStoreError(cause, 'extend', lease.name);
      if (!closing.isClosed) report({ type: 'extend-failed', error });
      throw error;
    }
  };

  const markNow = async (done: DoneTick): Promise<'marked' | 'lost'> => {
    const call = callWhileHeld();
    if (!call) return 'lost';
    try {
      const result = await policy.store.mark(lease, done, call);
      if (result.status === 'lost') watch.lose();
      else keep(result.lease, { ...result, leaseMs: done.leaseMs });
      return result.status;
    } catch (cause) {
      throw toStoreError(cause, 'mark', lease.name);
    }
  };

  return {
    get lease() {
      return lease;
    },
    extend: (leaseMs) => calls.add(() => extendNow(leaseMs)),
    mark: (done) => calls.add(() => markNow(done)),
    async close() {
      closing.close();
      await calls.settled();
    },
  };
}

/** Makes the limits of an extension or a mark; undefined once the lease or the run has ended. */
function callOf(watch: LeaseWatch, settings: Settings, closing: ClosingSignal): StoreCall | undefined {
  const { hold } = watch;
  if (!hold || watch.isLost() || watch.isStopped() || closing.isClosed) return undefined;
  return extendCall(hold, settings, closing.signal);
}

/** Aborts the calls of a run when it ends. */
interface ClosingSignal {
  readonly isClosed: boolean;
  readonly signal: AbortSignal;
  close(): void;
}

/**
 * Makes a closing signal. It makes an AbortController only when a call needs one: most runs need none, and aborting a
 * controller is slow.
 */
function closingSignal(): ClosingSignal {
  let controller: AbortController | undefined;
  let isClosed = false;
  return {
    get isClosed() {
      return isClosed;
    },
    get signal() {
      controller ??= new AbortController();
      return controller.signal;
    },
    close() {
      isClosed = true;
      controller?.abort();
    },
  };
}

/** Makes a queue that starts each call when the call before has settled. */
function oneAfterAnother(): { add<R>(send: () => Promise<R>): Promise<R>; settled(): Promise<unknown> } {
  let last: Promise<unknown> = Promise.resolve();
  return {
    add(send) {
      const mine = last.then(send);
      last = mine.catch(() => undefined);
      return mine;
    },
    settled: () => last,
  };
}

const LONGEST_RETRY_MS = 1_000;

export interface Heartbeat {
  /** Stops the renewals: after this no renewal starts, and no timer is left. */
  stop(): void;
}

/** The parts of a held lock that a heartbeat needs. */
interface Kept {
  readonly lease: Lease;
  readonly watch: LeaseWatch;
  readonly extender: Pick<Extender, 'extend'>;
  /** The monotonic instant after which no renewal starts. */
  readonly limitMono: number;
}

/**
 * While a run lasts, renews its lease each time a third of it has passed. No renewal starts after `limitMono`. A
 * renewal that fails is tried again until the holder's deadline; a lost lease is never renewed. Promises no more than
 * the store's own extend: a run whose renewals all fail is asked to end before anybody else can start.
 */
export function startHeartbeat({ lease, watch, extender, limitMono }: Kept, clock: Clock): Heartbeat {
  const { leaseMs } = lease;
  let timer: Timer | undefined;
  let stopped = false;

  const beat = async () => {
    timer = undefined;
    if (clock.monotonic() >= limitMono) return;
    // Wait longer if the run has extended its lease by hand since the timer was set.
    const early = untilThird();
    if (early > leaseMs / 10) return wait(early);
    try {
      if ((await extender.extend(leaseMs)) === 'extended') wait(untilThird());
    } catch {
      // The extender has reported the failure. The watch ends the run if renewals keep failing.
      if (!watch.isLost()) wait(Math.min(LONGEST_RETRY_MS, leaseMs / 10));
    }
  };
  /**
   * Returns the wait before the next renewal, which is due when a third of the lease has passed. It is due sooner if
   * the server's clock proves that the lease ends early. The wait is at least a tenth of the lease.
   */
  const untilThird = () => {
    const endMono = watch.hold ? watch.hold.deadlineMono + watch.hold.guardMs : 0;
    return Math.max(leaseMs / 10, endMono - (leaseMs * 2) / 3 - clock.monotonic());
  };
  const wait = (ms: number) => {
    if (stopped) return;
    timer = clock.setTimer(() => void beat(), ms);
    timer.unref?.();
  };
  wait(untilThird());

  return {
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
