import type { LockAdminStore } from 'single-execution';
import type { Completion, Lease } from '../../src/core/ports/lock-store.js';
import type { Breaks, Place, Request, Store, Stored, Verb } from './broken.js';
import type { Kind, RegimeName, Stage } from './regime.js';

/** The first of the worlds that are played to show a bug. */
interface ShowingWorld extends Kind {
  readonly seed: number;
}

/** A bug around the library or its server, and the worlds that must show it. */
export interface SimBug extends Breaks {
  readonly name: string;
  readonly shownBy: readonly ShowingWorld[];
}

/** Errors of a mistake in the bug itself. A world with such an error shows nothing about the library. */
export const MISTAKE = /\b(ReferenceError|SyntaxError)\b/;

type World = readonly [stage: Stage, regime: RegimeName, seed: number];

export function bug(name: string, worlds: World | readonly World[], ...breaks: readonly Breaks[]): SimBug {
  const all = (Array.isArray(worlds[0]) ? worlds : [worlds]) as readonly World[];
  const shownBy = all.map(([stage, regime, seed]) => ({ stage, regime, seed }));
  return { ...breaks.reduce(together, {}), name, shownBy };
}

function together(one: Breaks, other: Breaks): Breaks {
  const both = { ...one, ...other };
  const { sees, leaves, store } = one;
  if (sees && other.sees) {
    const { sees: then } = other;
    return { ...both, sees: (record, request) => then(sees(record, request), request) };
  }
  if (leaves && other.leaves) {
    const { leaves: then } = other;
    return { ...both, leaves: (record, before, request) => then(leaves(record, before, request), before, request) };
  }
  if (store && other.store) {
    const { store: then } = other;
    return { ...both, store: (sound, place) => then(store(sound, place), place) };
  }
  return both;
}

/** Gives the requests of a verb a changed record. */
export function sees<V extends Verb>(verb: V, change: (record: Stored, request: Request<V>) => Stored): Breaks {
  return {
    sees: (record, request) => (request.verb === verb ? change(record, request as unknown as Request<V>) : record),
  };
}

/** Changes the record that the requests of a verb write. */
export function leaves<V extends Verb>(
  verb: V,
  change: (record: Stored, before: Stored, request: Request<V>) => Stored,
): Breaks {
  return {
    leaves: (record, before, request) =>
      request.verb === verb ? change(record, before, request as unknown as Request<V>) : record,
  };
}

/** Changes the record that a grant writes, but not the record that a cancel writes. */
export function grants(change: (record: Stored, before: Stored, request: Request<'acquire'>) => Stored): Breaks {
  return leaves('acquire', (record, before, request) =>
    record.attemptId === before.attemptId ? record : change(record, before, request),
  );
}

/** Replaces a text in the scripts that run on Redis. */
export function rewrites(from: string, to: string): Breaks {
  return { script: (text) => text.replace(from, to) };
}

/** Makes cancels do nothing. */
export function cancelsNot(isLost: (request: Request<'acquire'>) => boolean): Breaks {
  const isCancelLost = (request: Request) => request.verb === 'acquire' && isLost(request as Request<'acquire'>);
  return {
    drops: (update, request) => /\bbarredAttempt\b/.test(update) && isCancelLost(request),
    ...leaves('acquire', (record, before, request) =>
      record.attemptId === before.attemptId && isLost(request) ? before : record,
    ),
  };
}

type Asked<V extends keyof Store> = Parameters<Store[V]>;
type Answer<V extends keyof Store> = Store[V] extends (...asked: never) => Promise<infer A> ? A : never;

/** Replaces a verb of a store. */
export function plays<V extends keyof Store>(
  verb: V,
  play: (ask: (...asked: Asked<V>) => Promise<Answer<V>>, asked: Asked<V>, place: Place) => Promise<Answer<V>>,
): Breaks {
  return {
    store(store, place) {
      const ask = store[verb] as unknown as (...asked: Asked<V>) => Promise<Answer<V>>;
      return { ...store, [verb]: (...asked: Asked<V>) => play(ask, asked, place) };
    },
  };
}

/** Changes the completion that a run sends with its release. */
export function ends(change: (completion: Completion) => Partial<Completion>): Breaks {
  return plays('release', (ask, [lease, completion, call]) =>
    ask(lease, { ...completion, ...change(completion) }, call),
  );
}

/** Changes the lease that a run gets with its grant. */
export function tells(change: (lease: Lease, place: Place) => Lease): Breaks {
  return plays('acquire', async (ask, asked, place) => {
    const answer = await ask(...asked);
    return answer.status === 'acquired' ? { ...answer, lease: change(answer.lease, place) } : answer;
  });
}

interface Confirmed {
  readonly capMono?: number;
  readonly firstSentMono: number;
  readonly firstSentWall: number;
}

/** Changes the time that a holder believes to have won with each call. */
export function believes(change: <T extends Confirmed>(confirmed: T, place: Place) => T): Breaks {
  return [
    plays('acquire', async (ask, asked, place) => {
      const answer = await ask(...asked);
      if (answer.status === 'refused') return answer;
      const { lease, ...grant } = answer;
      const { firstSentMono, firstSentWall, ...rest } = change({ ...grant, ...sentOf(lease) }, place);
      return { ...rest, lease: { ...lease, firstSentMono, firstSentWall } };
    }),
    plays('extend', async (ask, asked, place) => {
      const answer = await ask(...asked);
      return answer.status === 'lost' ? answer : change(answer, place);
    }),
    plays('mark', async (ask, asked, place) => {
      const answer = await ask(...asked);
      return answer.status === 'lost' ? answer : change(answer, place);
    }),
  ].reduce(together);
}

const sentOf = ({ firstSentMono, firstSentWall }: Lease) => ({ firstSentMono, firstSentWall });

/** Makes a holder believe that it has this much longer. */
export function overstays(ms: number): Breaks {
  return believes((confirmed) => ({
    ...confirmed,
    firstSentMono: confirmed.firstSentMono + ms,
    firstSentWall: confirmed.firstSentWall + ms,
    ...(confirmed.capMono !== undefined && { capMono: confirmed.capMono + ms }),
  }));
}

/** Changes what operators ask for. */
export function operates<V extends 'forceRelease' | 'listTicks'>(
  verb: V,
  change: (asked: Parameters<LockAdminStore[V]>[0]) => Parameters<LockAdminStore[V]>[0],
): Breaks {
  return {
    admin(admin) {
      const ask = admin[verb] as unknown as (first: unknown, call: unknown) => Promise<unknown>;
      return { ...admin, [verb]: (first: Parameters<LockAdminStore[V]>[0], call: unknown) => ask(change(first), call) };
    },
  };
}
