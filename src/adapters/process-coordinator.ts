import { logAndMetrics } from '../core/observers/default-observers.js';
import { possibleLease } from '../core/options/lease.js';
import { type LockOptions, type Policy, resolvePolicy } from '../core/options/policy.js';
import { run } from '../core/run/engine.js';
import type { Order } from '../core/run/invocation.js';
import { describe } from '../core/values/describe.js';
import { thisProcess } from '../core/values/environment.js';
import { checkLockName } from '../core/values/lock-name.js';
import { checkTick } from '../core/values/tick.js';
import { type OpenRun, openRun } from '../core/wrap/open-run.js';
import { untilShutdown } from './process-shutdown.js';

const RUN_OPTIONS = ['schedule', 'catchUp', 'onError', 'gracePeriod'] as const;

/**
 * As for every wrapper, but: `lockAtMostFor` is by default the task's `distributedLease`, and `keepAlive` is on, because
 * a task may take longer than that.
 */
export type CoordinatorOptions = Omit<LockOptions, (typeof RUN_OPTIONS)[number]>;

/** What node-cron 4 asks before and tells after each run of a `distributed` task. */
export interface RunCoordinator {
  /**
   * @param key the task's name, and the time that was due: `nightly:2026-01-01T00:00:00.000Z`
   * @param ttlMs the task's `distributedLease`, in milliseconds
   * @throws TypeError, RangeError for a key or a lease that cannot be
   * @throws LockStoreError, CorruptLockError when the store failed; node-cron then skips the run
   */
  shouldRun(key: string, ttlMs: number): Promise<boolean>;
  /**
   * Ends the run that `shouldRun` has begun, and releases its lock.
   *
   * @param key the one that `shouldRun` was given
   */
  onComplete(key: string): Promise<void>;
}

/**
 * A run coordinator for node-cron 4, for one task or for all of them: each task runs at most once per scheduled
 * time in the whole fleet, and never two at once. The task's name is the lock's. node-cron does not tell whether a run
 * has failed, so its tick is done either way.
 *
 * @example
 * ```ts
 * import cron from 'node-cron';
 * import { memoryStore } from 'single-execution/memory';
 * import { nodeCronCoordinator } from 'single-execution/process';
 *
 * cron.setRunCoordinator(nodeCronCoordinator({ store: memoryStore() }));
 * cron.schedule('0 2 * * *', () => console.log('once in the whole fleet'), { name: 'nightly', distributed: true });
 * ```
 *
 * @throws TypeError, RangeError for options that cannot be
 */
export function nodeCronCoordinator(options: CoordinatorOptions): RunCoordinator {
  const stray = RUN_OPTIONS.find((option) => option in Object(options));
  if (stray !== undefined) {
    throw new TypeError(
      `unknown option '${stray}': node-cron tells its coordinator neither a schedule nor a failure; wrap the task with withSingleExecution`,
    );
  }
  const policy = resolvePolicy({ keepAlive: true, ...options }, [], logAndMetrics);
  const open = new Map<string, OpenRun>();
  return {
    async shouldRun(key, ttlMs) {
      const order = orderFor(key, ttlMs, policy);
      const started = await openRun((task) => untilShutdown((shutdown) => run(task, { ...order, shutdown }, policy)));
      if (started.status === 'skipped') return false;
      open.set(key, started);
      return true;
    },
    async onComplete(key) {
      const taken = open.get(key);
      open.delete(key);
      await taken?.end();
    },
  };
}

function orderFor(key: string, ttlMs: number, policy: Policy): Order {
  const [, name, time = ''] = /^(.+):(\d{4}-\d\d-\d\dT[\d:.]+Z)$/s.exec(key) ?? [];
  if (name === undefined) {
    throw new TypeError(`key is ${describe(key)}: give the task's name and its time, as node-cron 4 does`);
  }
  return {
    name: checkLockName(name),
    lockedBy: thisProcess(),
    leaseMs: policy.lockAtMostForMs ?? leaseOf(ttlMs, policy),
    tickMs: checkTick(Date.parse(time), policy.clock.now()),
  };
}

/** node-cron passes on whatever its user gave. */
function leaseOf(ttlMs: number, { lockAtLeastForMs }: Policy): number {
  if (typeof ttlMs !== 'number' || Number.isNaN(ttlMs)) {
    throw new TypeError(`distributedLease is ${describe(ttlMs)}: give milliseconds, or give lockAtMostFor`);
  }
  return Math.max(lockAtLeastForMs, possibleLease(ttlMs));
}
