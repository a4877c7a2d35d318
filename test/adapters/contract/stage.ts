import { isSkipped, type Skipped } from 'single-execution';
import { type LockAdmin, lockAdmin } from 'single-execution/admin';
import { type FaultyStore, faultyStore, type ManualClock, type RecordingObserver } from 'single-execution/testing';
import { expect, type MockInstance, vi } from 'vitest';
import { type Gate, gate } from '../../support/gate.js';
import { type MemoryLocks, MINUTE, memoryLocks } from '../../support/memory-locks.js';
import { anyTrigger, type Called, type Given, type Job, type Platform, type Trigger } from './platform.js';

/**
 * Options of a wrapper. `limitMs`: the time until the platform ends a run, by its context or by an option. `byHand`:
 * whether the wrapped function is called to run by hand.
 */
export interface StageOptions {
  readonly limitMs?: number;
  readonly byHand?: boolean;
  readonly [option: string]: unknown;
}

/** The stage of one case: one lock in memory, a clock that stands at {@link NOW}, and functions on the platform. */
export interface Stage {
  readonly platform: Platform;
  readonly clock: ManualClock;
  /** Records its calls, and fails those for which a fault is planned. */
  readonly store: FaultyStore;
  readonly observer: RecordingObserver;
  readonly item: MemoryLocks['item'];
  readonly admin: LockAdmin;
  /** The verbs of all calls to the store. */
  verbs(): string[];
  /** Calls of `console.warn`. */
  readonly logged: MockInstance<typeof console.warn>;
  /** A result that a handler may have. */
  result(): unknown;
  /** Wraps a job, with a lease of a minute. */
  wrap(job: Job, options?: StageOptions): Called;
  /** The arguments of a call for the tick at {@link NOW}. */
  due(trigger?: Partial<Omit<Trigger, 'remainingMs'>> & { readonly limitMs?: number }): unknown[];
  /** Makes a call, which must run its handler once. */
  run(options?: StageOptions, args?: unknown[]): Promise<Given>;
  /** A run that lasts until its gate is opened. */
  hold(options?: StageOptions, args?: unknown[]): Promise<Gate<unknown> & { readonly ended: Promise<unknown> }>;
  /** Makes a call that must be skipped. @returns the skip that the caller gets */
  skip(options?: StageOptions, args?: unknown[]): Promise<Skipped>;
  /** Makes a call that must be refused. @returns the code of the refusal, or the name of its error */
  refusal(options?: StageOptions, args?: unknown[]): Promise<unknown>;
}

export function setStage(platform: Platform): Stage {
  const { options: common, clock, store: locks, observer, item } = memoryLocks();
  const store = faultyStore(locks);
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  const result = () => platform.results()[0];

  /** Calls a handler that must not run. */
  async function callInVain(options?: StageOptions, args = stage.due()): Promise<unknown> {
    const job = vi.fn<Job>(result);
    const [reply] = await Promise.allSettled([(async () => stage.wrap(job, options)(...args))()]);
    expect(job).not.toHaveBeenCalled();
    if (reply.status === 'rejected') throw reply.reason;
    return reply.value;
  }

  const stage: Stage = {
    ...{ platform, clock, store, observer, item, logged, result },
    admin: lockAdmin(locks, { clock }),
    verbs: () => store.calls.map(({ verb }) => verb),
    wrap(job, { limitMs, byHand = false, ...more } = {}) {
      const { lockAtMostFor, ...others } = common;
      const lease = limitMs === undefined ? { lockAtMostFor } : limitOf(platform, limitMs);
      const call = platform.wrap(job, { ...others, store, ...platform.options, ...lease, ...more } as never);
      return byHand ? platform.byHand(call) : call;
    },
    due({ limitMs = MINUTE, ...trigger } = {}) {
      const endMono = clock.monotonic() + limitMs;
      const remainingMs = () => endMono - clock.monotonic();
      return platform.argsOf({ ...anyTrigger, ...trigger, remainingMs });
    },
    async run(options, args = stage.due()) {
      const job = vi.fn<Job>(result);
      await stage.wrap(job, options)(...args);
      expect(job).toHaveBeenCalledOnce();
      return job.mock.calls[0]?.[0] as Given;
    },
    async hold(options, args = stage.due()) {
      const [started, end] = [gate(), gate<unknown>()];
      const call = stage.wrap(() => {
        started.open();
        return end.opened;
      }, options);
      const ended = Promise.resolve(call(...args));
      await Promise.race([started.opened, ended]);
      return { ...end, ended };
    },
    async skip(options, args) {
      const reply = await callInVain(options, args);
      const skipped = platform.skipOf ? await platform.skipOf(reply) : reply;
      expect(isSkipped(skipped)).toBe(true);
      return skipped as Skipped;
    },
    async refusal(options, args) {
      if (platform.refusalOf) return platform.refusalOf(await callInVain(options, args));
      const error: unknown = await callInVain(options, args).catch((thrown: unknown) => thrown);
      const { code, name } = error as { readonly code?: string; readonly name?: string };
      return code ?? name;
    },
  };
  return stage;
}

const limitOf = ({ limit }: Platform, maxDuration: number): object =>
  limit === 'maxDuration, which is' ? { maxDuration } : {};
