import type { Item } from './lock-server.js';

/** How the job of a world deals with its ticks. */
export interface TickRules {
  readonly tickMark: 'success' | 'start';
  /** Between two ticks of its wrapper's schedule, which are counted from 1970. */
  readonly everyMs?: number | undefined;
}

interface Circumstances extends TickRules {
  now(): number;
  violation(invariant: string, what: string): void;
}

/** So many ticks are remembered as not done below the newest one that is done, and so many above it. */
const MOST_REMEMBERED = 8;

/**
 * Writes down which ticks are done and which are not, by how their runs have ended, and holds the record's own lists
 * against it.
 */
export function tickBook({ tickMark, everyMs, now, violation }: Circumstances) {
  let highestDone = 0;
  /** Ticks whose run has ended without success, or that never came before a newer one was done. Ascending. */
  let undone: readonly number[] = [];
  const doneTicks = new Set<number>();
  const fulfilledTicks = new Set<number>();
  const grantedTicks = new Set<number>();
  const startsOfTick = new Map<number, number>();
  /** When a run of a tick has last fulfilled, and when an operator's delete has last forgotten all ticks. */
  const fulfilledMs = new Map<number, number>();
  let forgottenMs = 0;
  let reopened = 0;

  const below = () => undone.filter((tick) => tick < highestDone);
  const above = () => undone.filter((tick) => tick > highestDone);
  /** Done, or so old that it is no longer remembered. */
  const isClosed = (tick: number) => tick <= highestDone && !below().includes(tick);
  const remember = (ticks: readonly number[]) => {
    undone = [...new Set(ticks)].sort((a, b) => a - b);
    undone = [...below().slice(-MOST_REMEMBERED), ...above().slice(-MOST_REMEMBERED)];
  };
  const expectSame = (attribute: string, listed: readonly number[], expected: readonly number[]) => {
    if (listed.join() !== expected.join()) violation('I12', `${attribute} is [${listed}], and not [${expected}]`);
  };

  return {
    isClosed,

    /** The oldest tick that is not done although a newer one is. */
    reopenable: () => below()[0],

    /** How many grants there were of a tick older than the newest one done. */
    reopened: () => reopened,

    granted(tick: number | undefined) {
      if (tick === undefined) return;
      grantedTicks.add(tick);
      if (isClosed(tick)) violation('I3', `tick ${tick} granted when ${highestDone} was done`);
      if (doneTicks.has(tick)) violation('I3', `tick ${tick} granted after its success was recorded`);
      if (tick < highestDone) reopened++;
      if (tickMark === 'start') highestDone = Math.max(highestDone, tick);
    },

    /** The record tells that the run of a tick has ended. */
    ended(tick: number | undefined, hasSucceeded: boolean) {
      if (tick === undefined || tickMark === 'start') return;
      if (!hasSucceeded) return remember([...undone, tick]);
      const missed: number[] = [];
      if (everyMs !== undefined && highestDone > 0) {
        const firstMs = (Math.floor(highestDone / everyMs) + 1) * everyMs;
        for (let at = firstMs; at < tick; at += everyMs) missed.push(at);
      }
      highestDone = Math.max(highestDone, tick);
      remember([...undone, ...missed].filter((other) => other !== tick));
    },

    /** An operator has deleted the lock, and with it what was known of its ticks. */
    forget() {
      forgottenMs = now();
      highestDone = 0;
      undone = [];
      doneTicks.clear();
      startsOfTick.clear();
    },

    /** Holds a record against what is known. */
    expectRecord({ doneTick, openTicks, failedTicks }: Item) {
      if (Number(doneTick ?? 0) !== highestDone) violation('I3', `doneTick is ${doneTick}, and ${highestDone} is done`);
      expectSame('openTicks', ticksOf(openTicks), below());
      expectSame('failedTicks', ticksOf(failedTicks), above());
    },

    /** A handler starts. */
    started(tick: number | undefined) {
      if (tick === undefined || tickMark !== 'start') return;
      const starts = (startsOfTick.get(tick) ?? 0) + 1;
      startsOfTick.set(tick, starts);
      if (starts > 1) violation('I3', `tick ${tick} started ${starts} times`);
    },

    /** A handler has fulfilled. */
    fulfilled(tick: number) {
      fulfilledTicks.add(tick);
      fulfilledMs.set(tick, now());
    },

    /** A run of this tick has succeeded, and its release is recorded. */
    succeeded(tick: number) {
      if (tickMark === 'success' && forgottenMs < (fulfilledMs.get(tick) ?? 0)) doneTicks.add(tick);
    },

    /** A caller who began then is told that its tick needs no run. */
    skipped(reason: 'already-executed' | 'stale-tick', tick: number, begunMs: number) {
      const done = tickMark === 'success' ? fulfilledTicks : grantedTicks;
      if (reason === 'already-executed' && !done.has(tick)) {
        violation('I3', `skipped ${tick} as executed, and no run was`);
      }
      if (reason === 'stale-tick' && ![...done].some((other) => other > tick)) {
        violation('I3', `skipped ${tick} as stale, and no newer one is done`);
      }
      if (begunMs > forgottenMs && !isClosed(tick)) violation('I12', `skipped ${tick} as ${reason}, and it is open`);
    },
  };
}

/** The ticks of a record's list. */
function ticksOf(list: unknown): number[] {
  const texts = String(list ?? '').split(',');
  return texts.filter((text) => text !== '').map((text) => Number.parseInt(text, 36));
}
