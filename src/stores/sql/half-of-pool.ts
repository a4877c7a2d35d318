import type { Signal } from '../../core/values/clock.js';
import type { Ask } from './sql.js';

/** The connections of a pool that names no number, as those of pg and postgres.js have it. */
const USUAL_MAX = 10;

/** What is known of a client, for all stores that use it. */
interface Turns {
  running: number;
  /** Statements that wait to be sent, each as the function that lets it go. */
  readonly waiting: Set<() => void>;
}

const turnsOf = new WeakMap<object, Turns>();

/**
 * Sends statements to a client so that at most half of its connections are used at a time, and at least one. Calls that
 * wait for a locked table then leave the program its other connections. A statement with a signal that waits here, unlike
 * one that waits in the client, is not sent once its call has ended.
 */
export function halfOfPool(client: object, ask: Ask, connections: number = connectionsOf(client)): Ask {
  const most = Math.max(1, Math.floor(connections / 2));
  const turns = turnsOf.get(client) ?? { running: 0, waiting: new Set() };
  turnsOf.set(client, turns);
  return async (statement, signal) => {
    if (turns.running >= most) await turn(turns, signal);
    else turns.running++;
    try {
      return await ask(statement, signal);
    } finally {
      const [next] = turns.waiting;
      if (next) next();
      else turns.running--;
    }
  };
}

/** Resolves when a statement that has been answered passes on its place. Rejects if the signal aborts before. */
function turn({ waiting }: Turns, signal: Signal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(go);
      signal?.removeEventListener('abort', onAbort);
    };
    const go = () => {
      leave();
      resolve();
    };
    const onAbort = () => {
      leave();
      reject(signal?.reason);
    };
    if (signal?.aborted) return onAbort();
    waiting.add(go);
    signal?.addEventListener('abort', onAbort);
  });
}

/** Returns how many connections a client has: a pool's own number, and one for a single connection. */
function connectionsOf(client: object): number {
  const { options, connectionParameters } = client as { options?: { max?: unknown }; connectionParameters?: unknown };
  if (typeof connectionParameters === 'object' && connectionParameters !== null) return 1;
  const { max } = Object(options) as { max?: unknown };
  return typeof max === 'number' && max >= 1 ? max : USUAL_MAX;
}
