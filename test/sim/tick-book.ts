import type { SkipReason } from 'single-execution';
import type { Opening } from '../support/history/history.js';
import type { Item } from './lock-server.js';

/** How the job of a world deals with its ticks. */
export interface TickRules {
  readonly tickMark: 'success' | 'start';
  /** Between two ticks of its wrapper's schedule, which are counted from 1970. */
  readonly everyMs?: number | undefined;
  /** A run catches up with all ticks that are no older than `withinMs`, but with `max` at most. */
  readonly catchUp?: { readonly withinMs: number; readonly max: number } | undefined;
}

interface Circumstances extends TickRules {
  now(): number;
  violation(invariant: string, what: string): void;
}

/** So many ticks are remembered as not done below the newest one that is done, and so many above it. */
const MOST_REMEMBERED = 8;
/** So many where there are more, because an operator has listed them, and above as long as no tick is done. */
const MOST_LISTED = 100;

/**
 * Writes down which ticks are done and which are not, by how their runs have ended, and holds the record's own lists
 * against it.
 */
export function tickBook({ tickMark, everyMs, catchUp, now, violation }: Circumstances) {
  let highestDone = 0;
  /** Ticks whose run has ended without success, or that never came before a newer one was done. Ascending. */
  let undone: readonly number[] = [];
  const fulfilledTicks = new Set<number>();
  /** Ticks that an operator has listed as open, and deletes, which forget all ticks. */
  const openings: Opening[] = [];
  /** What operators have asked for. */
  const mayBeListed = new Set<number>();
  const mayBeGivenUp = new Set<number>();
  let reopened = 0;
  let caughtUp = 0;
  /** How many ticks the run of now has caught up with. */
  let marks = 0;

  const below = () => undone.filter((tick) => tick < highestDone);
  const above = () => undone.filter((tick) => tick > highestDone);
  /** Done, or so old that it is no longer remembered. */
  const isClosed = (tick: number) => tick <= highestDone && !below().includes(tick);
  const mostOf = (...lists: readonly (readonly number[])[]) =>
    lists.some(({ length }) => length > MOST_REMEMBERED) ? MOST_LISTED : MOST_REMEMBERED;
  /** @param doneTick the newest tick that is done from then on */
  const remember = (ticks: readonly number[], doneTick = highestDone) => {
    // Where runs catch up none is forgotten: one that would have to leaves its own tick undone.
    const mostBelow = catchUp ? Number.POSITIVE_INFINITY : mostOf(below(), above());
    const mostAbove = highestDone === 0 ? MOST_LISTED : mostOf(above());
    highestDone = doneTick;
    undone = [...new Set(ticks)].sort((a, b) => a - b);
    undone = [...below().slice(-mostBelow), ...above().slice(-mostAbove)];
  };
  /** A run of this tick gives up those that are older. */
  const oldest = (own: number) => (catchUp ? own - catchUp.withinMs : 0);
  const givesUp = (own: number, tick: number) => tick < oldest(own);
  /** Ticks of the schedule before this one that never came, but for those that its run gives up. */
  const missedBefore = (own: number) => {
    const since = highestDone || undone[0];
    if (everyMs === undefined || since === undefined) return [];
    const missed: number[] = [];
    const firstMs = Math.ceil(Math.max(since + 1, oldest(own)) / everyMs) * everyMs;
    for (let at = firstMs; at < own; at += everyMs) missed.push(at);
    return missed;
  };
  /** What a run of this tick has to catch up with. */
  const due = (own: number) => {
    const known = undone.filter((tick) => tick < own && !givesUp(own, tick));
    return [...known, ...missedBefore(own)].sort((a, b) => a - b);
  };
  /** When an operator has last let a tick run that was done or stale. */
  const openedMs = (own: number | undefined) => openings.findLast(({ tick = own }) => tick === own)?.atMs ?? 0;
  const expectSame = (attribute: string, listed: readonly number[], expected: readonly number[]) => {
    if (listed.join() !== expected.join()) violation('I12', `${attribute} is [${listed}], and not [${expected}]`);
  };

  return {
    isClosed,

    /** The oldest tick that is not done although a newer one is. */
    reopenable: () => below()[0],

    /** How many grants there were of a tick older than the newest one done. */
    reopened: () => reopened,

    /** How many ticks were caught up with. */
    caughtUp: () => caughtUp,

    granted(tick: number | undefined) {
      marks = 0;
      if (tick === undefined) return;
      if (isClosed(tick)) violation('I3', `tick ${tick} granted when ${highestDone} was done`);
      if (tick < highestDone) reopened++;
      if (tickMark === 'start') highestDone = Math.max(highestDone, tick);
    },

    /** The record tells that the run of a tick has caught up with another one. */
    marked(own: number | undefined, tick: number | undefined) {
      if (own === undefined || tick === undefined || catchUp === undefined) {
        return violation('I4', 'ticks were changed by a run that had none to mark');
      }
      const [first] = due(own);
      if (!fulfilledTicks.has(tick)) violation('I3', `tick ${tick} marked, and no run was`);
      if (tick !== first) violation('I12', `tick ${tick} was caught up with when ${first} was the oldest one open`);
      marks++;
      caughtUp++;
      if (marks > catchUp.max) violation('I12', `a run caught up with ${marks} ticks, and ${catchUp.max} was the most`);
      const others = undone.filter((other) => other !== tick && !givesUp(own, other));
      remember(others, Math.max(highestDone, tick));
    },

    /** The record tells that the run of a tick has succeeded. */
    done(tick: number | undefined) {
      if (tick === undefined || tickMark === 'start') return;
      if (catchUp && marks < catchUp.max && due(tick).length > 0) {
        violation('I12', `tick ${tick} is done, and its run has not caught up with ${due(tick)}`);
      }
      const missed = missedBefore(tick).filter((other) => !undone.includes(other));
      const passed = catchUp ? missed : missed.slice(-MOST_REMEMBERED);
      const others = [...undone, ...passed].filter((other) => other !== tick && !givesUp(tick, other));
      remember(others, Math.max(highestDone, tick));
    },

    /** The record tells that a run has ended without success: of its own tick, and of one that it was catching up with. */
    failed(...ticks: readonly (number | undefined)[]) {
      if (tickMark === 'start') return;
      remember([...undone, ...ticks.filter((tick): tick is number => Number(tick) > highestDone)]);
    },

    openings,

    openedMs,

    /** An operator asks for these ticks to be listed, or to be taken off the lists. */
    mayChange(what: 'list' | 'forget', ticks: readonly number[]) {
      for (const tick of ticks) (what === 'list' ? mayBeListed : mayBeGivenUp).add(tick);
    },

    /** An operator has changed the lists of a record. */
    listed(before: Item, { state, openTicks, failedTicks }: Item) {
      if (state !== 'released' && state !== 'forced') violation('I12', `lists were changed while ${state}`);
      const ticks = [...ticksOf(openTicks), ...ticksOf(failedTicks)];
      for (const tick of ticks.filter((other) => !undone.includes(other))) {
        if (!mayBeListed.has(tick)) violation('I12', `${tick} was listed, and nobody had asked`);
        if (isKnownAsDone(before, tick)) violation('I3', `${tick} was listed, and the record has it as done`);
        openings.push({ tick, atMs: now() });
      }
      for (const tick of undone.filter((other) => !ticks.includes(other))) {
        if (!mayBeGivenUp.has(tick)) violation('I12', `${tick} was taken off, and nobody had asked`);
      }
      undone = ticks;
    },

    /** An operator has deleted the lock, and with it what was known of its ticks. */
    forget() {
      openings.push({ atMs: now() });
      highestDone = 0;
      undone = [];
    },

    /** Holds a record against what is known. */
    expectRecord({ doneTick, openTicks, failedTicks }: Item) {
      if (Number(doneTick ?? 0) !== highestDone) violation('I3', `doneTick is ${doneTick}, and ${highestDone} is done`);
      expectSame('openTicks', ticksOf(openTicks), below());
      // The release of a run that never heard of its mark lists the marked tick as failed. It is done all the same.
      const failed = ticksOf(failedTicks).filter((tick) => !catchUp || tick > highestDone);
      expectSame('failedTicks', failed, above());
    },

    /** A handler has fulfilled. */
    fulfilled(tick: number) {
      fulfilledTicks.add(tick);
    },

    /** A caller who began then is told that its tick needs no run. */
    skipped(reason: SkipReason, tick: number, begunMs: number) {
      if (begunMs > openedMs(tick) && !isClosed(tick)) violation('I12', `skipped ${tick} as ${reason}, and it is open`);
    },
  };
}

/** Whether a record tells of a tick that it is done: it is the newest one, or that of one of the last ten runs. */
function isKnownAsDone(item: Item, tick: number): boolean {
  const rows = Object.entries(item).filter(([field]) => /^r\d$/.test(field));
  const isOfRun = rows.some(([, row]) => String(row).startsWith(`s|${tick.toString(36)}|`));
  return Number(item['doneTick']) === tick || isOfRun;
}

/** The ticks of a record's list. */
function ticksOf(list: unknown): number[] {
  const texts = String(list ?? '').split(',');
  return texts.filter((text) => text !== '').map((text) => Number.parseInt(text, 36));
}
