import type { Call } from './call.js';
import type { Station } from './station.js';

/** One scheduled function as its surroundings know it: what triggers it, what it does to the world, what stops it. */
export interface Job {
  /** Its lock. */
  readonly name: string;
  readonly handler: Call['handler'];
  /** Whether a tick is done when it succeeded, or once it started (at most once). */
  readonly tickMark: 'success' | 'start';
  /** The event of a tick; that of somebody who starts it by hand has none. */
  event(tickMs: number | undefined): unknown;
  /** How long its lock outlives it, from the start of a run that is left so much time. */
  leaseMs(remainingMs: number): number;
  /** Makes what it works on slow, for the next run there. */
  slow(station: Station, ms: number): void;
  /** Makes what it works on fail, for the next run there. */
  breakDown(station: Station): void;
  /** Its work there, as the world has seen it; undefined when it did none. */
  workAt(station: Station, tickMs: number | undefined): SeenWork | undefined;
  /** Why it was skipped, read off what it returned; undefined when it ran. */
  skipOf(value: unknown): { readonly reason: string; readonly lockedBy?: string } | undefined;
  /** What it returned, for people. */
  told(value: unknown): string;
}

export interface SeenWork {
  /** Instants by `performance.now()`; `toMs` is absent while some of it is on its way. */
  readonly fromMs: number;
  readonly toMs?: number;
  readonly token?: number;
  readonly doneTicksMs: readonly number[];
}

/** Something that came and went, such as a request. */
export interface Passage {
  readonly arrivedMs: number;
  readonly leftMs?: number;
}

/** From the first to the last of them; `toMs` is absent while one is still there. */
export function spanOf(passages: readonly Passage[]): { readonly fromMs: number; readonly toMs?: number } | undefined {
  if (passages.length === 0) return undefined;
  const toMs = Math.max(...passages.map(({ leftMs = Number.POSITIVE_INFINITY }) => leftMs));
  return { fromMs: Math.min(...passages.map(({ arrivedMs }) => arrivedMs)), ...(Number.isFinite(toMs) && { toMs }) };
}
