import type { SkipReason } from 'single-execution';
import type { Opening } from '../support/history/history.js';
import type { Item } from './lock-server.js';

/** How the job of a world treats its ticks. */
export interface TickRules {
  readonly tickMark: 'success' | 'start';
  /** The time between two ticks of the wrapper's schedule, which counts from 1970. */
  readonly everyMs?: number | undefined;
  /** A run catches up with ticks that are at most `withinMs` older than its own, `max` of them at most. */
  readonly catchUp?: { readonly withinMs: number; readonly max: number } | undefined;
}

interface Circumstances extends TickRules {
  now(): number;
  violation(invariant: string, what: string): void;
}

/** A record remembers this many open ticks below the newest done tick, and as many failed ticks above it. */
const MOST_REMEMBERED = 8;
/**
 * It remembers this many instead if it already has more, because an operator listed them; above, also while no tick is
 * done.
 */
const MOST_LISTED = 100;

/**
 * Records which ticks are done and which are open, from how their runs ended, and compares the lists of the record with
 * it.
 */
export function tickBook({ tickMark, everyMs, catchUp, now, violation }: Circumstances) {
  let highestDone = 0;
  /** Ticks whose run ended without success, or that never came before a newer tick was done. Ascending. */
  let undone: readonly number[] = [];
  const fulfilledTicks = new Set<number>();
  /** What operators have reopened: ticks that they listed as open, or all ticks by a delete. */
  const openings: Opening[] = [];
  /** The ticks that operators have asked to list, and the ticks that they have asked to give up. */
  const mayBeListed = new Set<number>();
  const mayBeGivenUp = new Set<number>();
  let reopened = 0;
  let caughtUp = 0;
  /** How many ticks the current run has caught up with. */
  let marks = 0;

  const below = () => undone.filter((tick) => tick < highestDone);
  const above = () => undone.filter((tick) => tick > highestDone);
  /** Whether a tick is done, or too old to be remembered. */
  const isClosed = (tick: number) => tick <= highestDone && !below().includes(tick);
  const mostOf = (...lists: readonly (readonly number[])[]) =>
    lists.some(({ length }) => length > MOST_REMEMBERED) ? MOST_LISTED : MOST_REMEMBERED;
  /** @param doneTick the newest done tick from then on */
  const remember = (ticks: readonly number[], doneTick = highestDone) => {
    // A run that catches up forgets no tick: if the list is full, the run leaves its own tick undone.
    const mostBelow = catchUp ? Number.POSITIVE_INFINITY : mostOf(below(), above());
    const mostAbove = highestDone === 0 ? MOST_LISTED : mostOf(above());
    highestDone = doneTick;
    undone = [...new Set(ticks)].sort((a, b) => a - b);
    undone = [...below().slice(-mostBelow), ...above().slice(-mostAbove)];
  };
  /** A run for this tick gives up the ticks before this instant. */
  const oldest = (own: number) => (catchUp ? own - catchUp.withinMs : 0);
  const givesUp = (own: number, tick: number) => tick < oldest(own);
  /** Ticks of the schedule before this tick that never came and that its run does not give up. */
  const missedBefore = (own: number) => {
    const since = highestDone || undone[0];
    if (everyMs === undefined || since === undefined) return [];
    const missed: number[] = [];
    const firstMs = Math.ceil(Math.max(since + 1, oldest(own)) / everyMs) * everyMs;
    for (let at = firstMs; at < own; at += everyMs) missed.push(at);
    return missed;
  };
  /** The ticks that a run for this tick has to catch up with. */
  const due = (own: number) => {
    const known = undone.filter((tick) => tick < own && !givesUp(own, tick));
    return [...known, ...missedBefore(own)].sort((a, b) => a - b);
  };
  /** When an operator last allowed this tick, though done or stale, to run again. */
  const openedMs = (own: number | undefined) => openings.findLast(({ tick = own }) => tick === own)?.atMs ?? 0;
  const expectSame = (attribute: string, listed: readonly number[], expected: readonly number[]) => {
    if (listed.join() !== expected.join()) violation('I12', `${attribute} is [${listed}], and not [${expected}]`);
  };

  return {
    isClosed,

    /** Whether the record lists this tick as not done. */
    isListed: (tick: number | undefined) => tick !== undefined && undone.includes(tick),

    /** The oldest open tick that is older than the newest done tick. */
    reopenable: () => below()[0],

    /** How many grants were for a tick older than the newest done tick. */
    reopened: () => reopened,

    /** How many ticks runs have caught up with. */
    caughtUp: () => caughtUp,

    granted(tick: number | undefined) {
      marks = 0;
      if (tick === undefined) return;
      if (isClosed(tick)) violation('I3', `tick ${tick} granted when ${highestDone} was done`);
      if (tick < highestDone) reopened++;
      if (tickMark === 'start') highestDone = Math.max(highestDone, tick);
    },

    /** The record shows that the run for tick `own` has caught up with an older `tick`. */
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

    /** The record shows that the run for this tick has succeeded. */
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

    /**
     * The record shows that a run has ended without success, for its own tick or for one that it was catching up with.
     */
    failed(...ticks: readonly (number | undefined)[]) {
      if (tickMark === 'start') return;
      remember([...undone, ...ticks.filter((tick): tick is number => Number(tick) > highestDone)]);
    },

    openings,

    openedMs,

    /** An operator asks to list these ticks as open, or to take them off the lists. */
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

    /** An operator has deleted the lock and with it the knowledge of its ticks. */
    forget() {
      openings.push({ atMs: now() });
      highestDone = 0;
      undone = [];
    },

    /** Compares the ticks of a record with this book. */
    expectRecord({ doneTick, openTicks, failedTicks }: Item) {
      if (Number(doneTick ?? 0) !== highestDone) violation('I3', `doneTick is ${doneTick}, and ${highestDone} is done`);
      expectSame('openTicks', ticksOf(openTicks), below());
      // If a run never learned that its mark was applied, its release lists the marked tick as failed, though it is
      // done.
      const failed = ticksOf(failedTicks).filter((tick) => !catchUp || tick > highestDone);
      expectSame('failedTicks', failed, above());
    },

    fulfilled(tick: number) {
      fulfilledTicks.add(tick);
    },

    /** A caller that began at `begunMs` is told that its tick needs no run. */
    skipped(reason: SkipReason, tick: number, begunMs: number) {
      if (begunMs > openedMs(tick) && !isClosed(tick)) violation('I12', `skipped ${tick} as ${reason}, and it is open`);
    },
  };
}

/** Whether a record shows that a tick is done: it is the newest done tick, or one of the last ten runs was for it. */
function isKnownAsDone(item: Item, tick: number): boolean {
  const rows = Object.entries(item).filter(([field]) => /^r\d$/.test(field));
  const isOfRun = rows.some(([, row]) => String(row).startsWith(`s|${tick.toString(36)}|`));
  return Number(item['doneTick']) === tick || isOfRun;
}

/** The ticks in a list of the record. */
function ticksOf(list: unknown): number[] {
  const texts = String(list ?? '').split(',');
  return texts.filter((text) => text !== '').map((text) => Number.parseInt(text, 36));
}
