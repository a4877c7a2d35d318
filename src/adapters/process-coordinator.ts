import { logAndMetrics } from '../core/observers/default-observers.js';
import { possibleLease } from '../core/options/lease.js';
import { type LockOptions, type Policy, resolvePolicy } from '../core/options/policy.js';
import { run } from '../core/run/engine.js';
import type { Order } from '../core/run/invocation.js';
import { describe } from '../core/values/checks.js';
import { thisProcess } from '../core/values/environment.js';
import { checkLockName } from '../core/values/names.js';
import { checkTick } from '../core/values/tick.js';
import { type OpenRun, openRun } from '../core/wrap/lock-handle.js';
import { untilShutdown } from './process-shutdown.js';

const RUN_OPTIONS = ['schedule', 'catchUp', 'onError', 'gracePeriod'] as const;

/**
 * Options of `nodeCronCoordinator`: the options of every wrapper, without `schedule`, `catchUp`, `onError` and
 * `gracePeriod`. `lockAtMostFor` defaults to the task's `distributedLease`. `keepAlive` defaults to true, because a
 * task may take longer than that lease.
 */
export type CoordinatorOptions = Omit<LockOptions, (typeof RUN_OPTIONS)[number]>;

/** The functions that node-cron 4 calls before and after each run of a `distributed` task. */
export interface RunCoordinator {
  /**
   * Takes the lock. Resolves to whether this process runs the task.
   *
   * @param key the task's name and the scheduled time: `nightly:2026-01-01T00:00:00.000Z`
   * @param ttlMs the task's `distributedLease`, in milliseconds
   * @throws TypeError, RangeError for an invalid key or lease
   * @throws LockStoreError, CorruptLockError when the store failed; node-cron then skips the run
   */
  shouldRun(key: string, ttlMs: number): Promise<boolean>;
  /**
   * Ends the run that `shouldRun` began, and releases its lock.
   *
   * @param key the key that was passed to `shouldRun`
   */
  onComplete(key: string): Promise<void>;
}

/**
 * Makes a run coordinator for node-cron 4, for one task or for all tasks. If all processes of a fleet use the same
 * store, each task runs at most once per scheduled time, and two runs of a task never overlap. The lock has the task's
 * name. node-cron does not report whether a run has failed, so the tick is done even after a failure.
 *
 * @example
 * ```ts
 * import cron from 'node-cron';
 * import { memoryStore } from 'single-execution/memory';
 * import { nodeCronCoordinator } from 'single-execution/process';
 *
 * cron.setRunCoordinator(nodeCronCoordinator({ store: memoryStore() }));
 * cron.schedule('0 2 * * *', () => console.log('nightly report'), { name: 'nightly', distributed: true });
 * ```
 *
 * @throws TypeError, RangeError for invalid options
 */
export function nodeCronCoordinator(options: CoordinatorOptions): RunCoordinator {
  const stray = RUN_OPTIONS.find((option) => option in Object(options));
  if (stray !== undefined) {
    throw new TypeError(
      `unknown option '${stray}': node-cron reports neither a schedule nor a failure; wrap the task with withSingleExecution`,
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
    throw new TypeError(`key is ${describe(key)}: pass the task's name and its time, as node-cron 4 does`);
  }
  return {
    name: checkLockName(name),
    lockedBy: thisProcess(),
    leaseMs: policy.lockAtMostForMs ?? leaseOf(ttlMs, policy),
    tickMs: checkTick(Date.parse(time), policy.clock.now()),
  };
}

/** Computes the lease from a task's `distributedLease`, which node-cron does not check. */
function leaseOf(ttlMs: number, { lockAtLeastForMs }: Policy): number {
  if (typeof ttlMs !== 'number' || Number.isNaN(ttlMs)) {
    throw new TypeError(`distributedLease is ${describe(ttlMs)}: pass milliseconds, or set lockAtMostFor`);
  }
  return Math.max(lockAtLeastForMs, possibleLease(ttlMs));
}
