import type { LockStore } from '../ports/lock-store.js';
import type { Clock, Timer } from '../values/clock.js';
import type { Signal } from '../values/signal.js';

/*
 * How many calls of one process are under way to one store at a time. A client with fewer sockets than calls keeps the
 * rest waiting in itself, where their tries run out of time unsent. Here they wait before their time begins.
 *
 * Promises: calls come in turn, the urgent ones first; nobody waits for a store that answers nobody, nor past an end of
 * its own. Does not promise to count calls of other stores over the same client, nor extensions and marks, which never
 * wait.
 */

/** Calls under way at a time: more than the 50 sockets of the AWS SDK, so that none of them is ever idle. */
const ABREAST = 64;
/** Time between two looks at a store by one who waits, and how often in a row nothing was answered if it is silent. */
const LOOK_EVERY_MS = 1_000;
const SILENT_LOOKS = 5;
/** A call that lasts longer was cut off by its platform, and is not counted any more. */
const LONGEST_CALL_MS = 20_000;

/** How a call waits. */
export interface Waiting {
  readonly clock: Clock;
  /** The monotonic instant until which it waits. */
  readonly untilMono: number;
  /** Ends the waiting. */
  readonly signal?: Signal | undefined;
}

/** A call under way, and when it began. */
interface Turn {
  readonly sinceMono: number;
}

/** The calls to one store. */
interface Turns {
  readonly underWay: Set<Turn>;
  /** Calls that wait, oldest first: what lets each go on. */
  readonly urgent: Set<() => void>;
  readonly others: Set<() => void>;
  /** How many calls have been answered. */
  answers: number;
  /** Nobody was answered for long: nobody waits until somebody is. */
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
 * @returns the answer; undefined where the waiting has ended before, and nothing was sent
 * @throws what `send` throws
 */
export async function inTurn<R>(store: LockStore, waiting: Waiting, send: () => Promise<R>): Promise<R | undefined> {
  const turns = turnsOf(store);
  const turn = hasRoom(turns, waiting.clock)
    ? begin(turns, waiting.clock)
    : await ownTurn(turns, turns.others, waiting);
  return turn && sendInTurn(turns, turn, waiting.clock, send);
}

/** The same for a call that goes before those of `inTurn`, and that is sent without a turn at the end of its waiting. */
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

/** Waits for a turn; undefined at the end of the waiting. Each who waits has timers of its own. */
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
    // A process that stood still looks once, however long that was.
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
