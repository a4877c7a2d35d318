import type { LockStore, StoreCall } from '../ports/lock-store.js';
import { RunEndedError } from '../public/errors.js';
import type { Clock, Timer } from '../values/clock.js';

/*
 * Limits the simultaneous calls of one process to one client. If a client has fewer sockets than calls, it queues the
 * rest, and their tries time out unsent. Here calls wait before their time limit begins.
 *
 * Promises: calls come in turn, releases first; no call waits for a store that answers no call, or longer than its own
 * limit. Extensions, marks and the verbs of operators are not counted and never wait.
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

const TOO_MANY = 'too many calls at once; nothing was sent';

/** A call in progress, and when it began. */
interface Turn extends StoreCall {
  readonly sinceMono: number;
}

/** The calls over one client. */
interface Turns {
  readonly underWay: Set<Turn>;
  /** Releases that wait, oldest first. Calling a function of this set lets its call go on. */
  readonly urgent: Set<() => void>;
  /** Acquires that wait, oldest first. Calling a function of this set lets its call go on. */
  readonly others: Set<() => void>;
  /** How many calls have been answered. */
  answers: number;
  /** Whether the store counts as silent. Until it answers a call again, no call waits. */
  isSilent: boolean;
}

const CLIENTS = new WeakMap<object, Turns>();

function turnsOf(client: object): Turns {
  const known = CLIENTS.get(client);
  if (known) return known;
  const turns: Turns = { underWay: new Set(), urgent: new Set(), others: new Set(), answers: 0, isSilent: false };
  CLIENTS.set(client, turns);
  return turns;
}

/**
 * Makes a store whose acquires and releases take turns with those of all stores over the same client. An acquire whose
 * turn does not come in time rejects with a `RunEndedError`. A release that has waited for too long is sent without a turn.
 *
 * @param client the client whose connections the calls share; its stores share one queue
 */
export function takingTurns<S extends LockStore>(client: object, store: S): S {
  const turns = turnsOf(client);
  return {
    ...store,
    async acquire(claim, call) {
      const free = turnIn(turns, turns.others, call);
      // A call that need not wait is sent at once, so that an abort finds it under way.
      const turn = free instanceof Promise ? await free : free;
      if (!turn) throw new RunEndedError(claim.name, 'DEADLINE', TOO_MANY);
      return settle(turns, turn, store.acquire(claim, turn));
    },
    async release(lease, completion, call) {
      const free = turnIn(turns, turns.urgent, call);
      const turn = (free instanceof Promise ? await free : free) ?? begin(turns, afterWaiting(call));
      return settle(turns, turn, store.release(lease, completion, turn));
    },
  };
}

/** Shortens a call that has waited to half of the time that is left until the platform ends the run. */
function afterWaiting(call: StoreCall): StoreCall {
  const leftMs = ((call.waiting?.endMono ?? Number.POSITIVE_INFINITY) - call.clock.monotonic()) / 2;
  return { ...call, budgetMs: Math.min(call.budgetMs, Math.max(call.tryMs / 2, leftMs)) };
}

async function settle<R>(turns: Turns, turn: Turn, sent: Promise<R>): Promise<R> {
  try {
    const answer = await sent;
    turns.answers++;
    turns.isSilent = false;
    return answer;
  } finally {
    turns.underWay.delete(turn);
    callNext(turns, turn.clock);
  }
}

function begin({ underWay }: Turns, call: StoreCall): Turn {
  const turn = { ...call, sinceMono: call.clock.monotonic() };
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

/**
 * Waits for a turn, if all are taken. Resolves to undefined if the waiting ends first. Each waiting call has its own
 * timers.
 */
function turnIn(turns: Turns, queue: Set<() => void>, call: StoreCall): Turn | Promise<Turn | undefined> {
  const { clock, waiting } = call;
  if (!waiting || hasRoom(turns, clock)) return begin(turns, call);
  const { untilMono, signal } = waiting;
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
    const go = () => leave(begin(turns, afterWaiting(call)));
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
