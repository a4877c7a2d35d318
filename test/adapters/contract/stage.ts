import { isSkipped, type Skipped } from 'single-execution';
import { type FaultyStore, faultyStore, type ManualClock, type RecordingObserver } from 'single-execution/testing';
import { expect, type MockInstance, vi } from 'vitest';
import { type Gate, gate } from '../../support/gate.js';
import { type MemoryLocks, MINUTE, NOW } from '../../support/memory-locks.js';
import { wrapperLocks } from '../../support/wrapper-locks.js';
import { anyTrigger, type Called, type Job, type Platform, type Trigger } from './platform.js';

/** Options of a wrapper, and the time until the platform ends a run, from wherever the platform has it. */
export interface StageOptions {
  readonly limitMs?: number;
  readonly store?: unknown;
  readonly [option: string]: unknown;
}

/** The stage of one case: one lock in memory, a clock that stands at {@link NOW}, and functions on the platform. */
export interface Stage {
  readonly platform: Platform;
  readonly clock: ManualClock;
  /** Keeps account of its calls, which go wrong as planned. */
  readonly store: FaultyStore;
  readonly observer: RecordingObserver;
  item: MemoryLocks['item'];
  /** The verbs that the store was asked for. */
  verbs(): string[];
  /** What was written into the log for people. */
  readonly logged: MockInstance<typeof console.warn>;
  /** Wraps a job; its lease is a minute. */
  wrap(job: Job, options?: StageOptions): Called;
  /** The arguments of a call for a tick. @default timeMs NOW */
  due(trigger?: Partial<Omit<Trigger, 'remainingMs'>> & { readonly limitMs?: number }): unknown[];
  /** Starts a run that lasts until its gate is opened. */
  hold(options?: StageOptions, args?: unknown[]): Promise<Gate<unknown> & { readonly ended: Promise<unknown> }>;
  /** The skip that a caller is told of. */
  skip(call: unknown): Promise<Skipped>;
  /** How a caller is told that a call was refused: a code, or the name of an error. */
  refusal(call: () => unknown): Promise<unknown>;
  /** A result that a handler may have. */
  result(): unknown;
}

export function setStage(platform: Platform): Stage {
  const { options: common, clock, store: locks, observer, item } = wrapperLocks();
  const store = faultyStore(locks);
  const logged = vi.spyOn(console, 'warn').mockReturnValue();
  const result = () => platform.results()[0];

  const stage: Stage = {
    ...{ platform, clock, store, observer, item, logged, result },
    verbs: () => store.calls.map(({ verb }) => verb),
    wrap(job, { limitMs, ...more } = {}) {
      const { lockAtMostFor, ...others } = common;
      const lease = limitMs === undefined ? { lockAtMostFor } : limitOf(platform, limitMs);
      return platform.wrap(job, { ...others, store, ...platform.options, ...lease, ...more } as never);
    },
    due({ limitMs = MINUTE, ...trigger } = {}) {
      const endMono = clock.monotonic() + limitMs;
      const remainingMs = () => endMono - clock.monotonic();
      return platform.argsOf({ ...anyTrigger, ...trigger, remainingMs });
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
    async skip(call) {
      const reply = await call;
      const skipped = platform.skipOf ? await platform.skipOf(reply) : reply;
      expect(isSkipped(skipped)).toBe(true);
      return skipped as Skipped;
    },
    async refusal(call) {
      if (platform.refusalOf) return platform.refusalOf(await call());
      try {
        return { reply: await call() };
      } catch (error) {
        const { code, name } = error as { readonly code?: string; readonly name?: string };
        return code ?? name;
      }
    },
  };
  return stage;
}

const limitOf = ({ limit }: Platform, maxDuration: number): object =>
  limit === 'maxDuration, which is' ? { maxDuration } : {};
