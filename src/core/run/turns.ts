import type { LockStore } from '../ports/lock-store.js';
import type { Clock, Signal, Timer } from '../values/clock.js';

/*
 * Limits the simultaneous calls of one process to one store. If a client has fewer sockets than calls, it queues the
 * rest, and their tries time out unsent. Here calls wait before their time limit begins.
 *
 * Promises: calls come in turn, urgent calls first; no call waits for a store that answers no call, or longer than its
 * own limit. Does not count calls of other stores over the same client, nor extensions and marks, which never wait.
 */

/** The most simultaneous calls: more than the 50 sockets of the AWS SDK, so that no socket is idle. */
const ABREAST = 64;
/** How often a waiting call checks whether the store answers. */
const LOOK_EVERY_MS = 1_000;
/** After this many checks without any answer the store counts as silent. */
const SILENT_LOOKS = 5;
/**
 * The longest that a call can last. If a call seems to last longer, its platform has cut it off; it no longer takes up
 * a place.
 */
const LONGEST_CALL_MS = 20_000;

/** How a call waits. */
export interface Waiting {
  readonly clock: Clock;
  /** The monotonic instant until which the call waits. */
  readonly untilMono: number;
  /** Ends the waiting when it aborts. */
  readonly signal?: Signal | undefined;
}

/** A call in progress, and when it began. */
interface Turn {
  readonly sinceMono: number;
}

/** The calls to one store. */
interface Turns {
  readonly underWay: Set<Turn>;
  /** Urgent calls that wait, oldest first. Calling a function of this set lets its call go on. */
  readonly urgent: Set<() => void>;
  /** The calls that wait and are not urgent, oldest first. Calling a function of this set lets its call go on. */
  readonly others: Set<() => void>;
  /** How many calls have been answered. */
  answers: number;
  /** Whether the store counts as silent. Until it answers a call again, no call waits. */
  isSilent: boolean;
}

const STORES = new WeakMap<LockStore, Turns>();

function turnsOf(store: LockStore): Turns {
  const known = STORES.get(store);
  if (known) return known;
  const turns: Turns = { underWay: new Set(), urgent: new Set(), others: new Set(), answers: 0, isSilent: false };
  STORES.set(store, turns);
  return turns;
}

/**
 * Sends a call to a store when its turn has come.
 *
 * @returns the answer; undefined if the waiting ended first, and nothing was sent
 * @throws what `send` throws
 */
export async function inTurn<R>(store: LockStore, waiting: Waiting, send: () => Promise<R>): Promise<R | undefined> {
  const turns = turnsOf(store);
  const turn = hasRoom(turns, waiting.clock)
    ? begin(turns, waiting.clock)
    : await ownTurn(turns, turns.others, waiting);
  return turn && sendInTurn(turns, turn, waiting.clock, send);
}

/**
 * Sends an urgent call, before all calls that wait in `inTurn`. If its waiting ends first, the call is sent without a
 * turn.
 */
export async function nextInTurn<R>(store: LockStore, waiting: Waiting, send: () => Promise<R>): Promise<R> {
  const turns = turnsOf(store);
  const turn = hasRoom(turns, waiting.clock) ? undefined : await ownTurn(turns, turns.urgent, waiting);
  return sendInTurn(turns, turn ?? begin(turns, waiting.clock), waiting.clock, send);
}

async function sendInTurn<R>(turns: Turns, turn: Turn, clock: Clock, send: () => Promise<R>): Promise<R> {
  try {
    const answer = await send();
    turns.answers++;
    turns.isSilent = false;
    return answer;
  } finally {
    turns.underWay.delete(turn);
    callNext(turns, clock);
  }
}

function begin({ underWay }: Turns, clock: Clock): Turn {
  const turn = { sinceMono: clock.monotonic() };
  underWay.add(turn);
  return turn;
}

function hasRoom({ underWay, isSilent }: Turns, clock: Clock): boolean {
  if (isSilent || underWay.size < ABREAST) return true;
  const [oldest] = underWay;
  if (!oldest || clock.monotonic() - oldest.sinceMono < LONGEST_CALL_MS) return false;
  underWay.delete(oldest);
  return true;
}

function callNext(turns: Turns, clock: Clock): void {
  while (hasRoom(turns, clock)) {
    const [next] = turns.urgent.size > 0 ? turns.urgent : turns.others;
    if (!next) return;
    next();
  }
}

/** Waits for a turn. Resolves to undefined if the waiting ends first. Each waiting call has its own timers. */
function ownTurn(
  turns: Turns,
  queue: Set<() => void>,
  { clock, untilMono, signal }: Waiting,
): Promise<Turn | undefined> {
  let { answers } = turns;
  let silentLooks = 0;
  let timer: Timer | undefined;
  return new Promise((resolve) => {
    const leave = (turn: Turn | undefined) => {
      queue.delete(go);
      timer?.cancel();
      signal?.removeEventListener('abort', giveUp);
      resolve(turn);
    };
    const go = () => leave(begin(turns, clock));
    const giveUp = () => leave(undefined);
    const look = () => {
      const leftMs = untilMono - clock.monotonic();
      if (leftMs <= 0 || signal?.aborted) return giveUp();
      timer = clock.setTimer(lookAgain, Math.min(LOOK_EVERY_MS, leftMs));
    };
    // A suspension of the process counts as one look, however long it was.
    const lookAgain = () => {
      silentLooks = answers === turns.answers ? silentLooks + 1 : 0;
      answers = turns.answers;
      turns.isSilent ||= silentLooks >= SILENT_LOOKS;
      callNext(turns, clock);
      if (queue.has(go)) look();
    };
    queue.add(go);
    signal?.addEventListener('abort', giveUp);
    look();
  });
}
