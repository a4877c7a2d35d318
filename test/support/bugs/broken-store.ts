import { type MemoryStore, memoryStore } from 'single-execution/memory';
import { manualClock } from 'single-execution/testing';
import type { Claim, Lease, Refused } from '../../../src/core/ports/lock-store.js';
import type { LockRecord } from '../../../src/core/record/lock-record.js';
import { storeCall } from '../contract-harness.js';
import { asUnseen, isSame } from './record.js';

/** Reads and writes the records of a store directly, without its verbs. */
interface Records {
  read(name: string): Promise<LockRecord | undefined>;
  write(name: string, record: LockRecord): Promise<void>;
}

/** Makes a broken store out of a correct one. */
export type Break = (store: MemoryStore, records: Records) => MemoryStore;

type Verb = Exclude<keyof MemoryStore, 'checkIn' | 'list'>;
type Asked<V extends Verb> = Parameters<MemoryStore[V]>;
type Answer<V extends Verb> = MemoryStore[V] extends (...asked: never) => Promise<infer A> ? A : never;

/** One call of a verb: the record before and after it, whether it has written, and its answer. */
interface Played<V extends Verb> {
  readonly before: LockRecord;
  readonly record: LockRecord;
  readonly hasWritten: boolean;
  readonly answer: Answer<V>;
}

/** A bug in the rules of a store, and the cases that must show it. */
export interface StoreBug {
  readonly name: string;
  readonly shownBy: readonly string[];
  make(): MemoryStore;
}

export function bug(name: string, shownBy: string | readonly string[], ...breaks: readonly Break[]): StoreBug {
  return { name, shownBy: [shownBy].flat(), make: () => brokenStore(inTurn, ...breaks) };
}

/** A store in memory, wrapped in each break. The first break is outermost. */
export function brokenStore(...breaks: readonly Break[]): MemoryStore {
  const sound = memoryStore();
  const records = recordsOf(sound);
  return breaks.reduceRight((store, wrap) => wrap(store, records), sound);
}

/**
 * Reads and writes records through `get` of the store in memory, which returns the stored item itself and not a copy.
 */
function recordsOf(store: MemoryStore): Records {
  const clock = manualClock();
  return {
    async read(name) {
      const found = await store.get(name, storeCall(clock));
      return found && ({ ...found.item } as LockRecord);
    },
    async write(name, record) {
      const call = storeCall(clock);
      const { item } = (await store.get(name, call)) ?? (await store.pause(name, { untilMs: 1, by: '-' }, call));
      for (const attribute of Object.keys(item)) delete (item as Record<string, unknown>)[attribute];
      Object.assign(item, record);
    },
  };
}

/** Runs one verb at a time, so that no other call sees a record while a bug changes it. */
const inTurn: Break = (store) => {
  const next = turns();
  const verbs = Object.entries(store).map(([verb, ask]) => [
    verb,
    (...asked: unknown[]) => next(() => (ask as (...with_: unknown[]) => Promise<unknown>)(...asked)),
  ]);
  return Object.fromEntries(verbs) as MemoryStore;
};

export function turns(): <T>(act: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** Replaces a verb. */
export function plays<V extends Verb>(
  verb: V,
  play: (ask: (...asked: Asked<V>) => Promise<Answer<V>>, asked: Asked<V>, records: Records) => Promise<Answer<V>>,
): Break {
  return (store, records) => {
    const ask = store[verb] as (...asked: Asked<V>) => Promise<Answer<V>>;
    return { ...store, [verb]: (...asked: Asked<V>) => play(ask, asked, records) };
  };
}

/** Changes the first argument of a verb. */
export function asks<V extends Verb>(verb: V, change: (...asked: Asked<V>) => Partial<Asked<V>[0]>): Break {
  return plays(verb, (ask, asked) => {
    const [first, ...rest] = asked;
    return ask(...([{ ...(first as object), ...(change(...asked) as object) }, ...rest] as unknown as Asked<V>));
  });
}

/** Changes the second argument of a verb. */
export function asksFor<V extends 'mark' | 'release'>(
  verb: V,
  change: (done: Asked<V>[1], lease: Lease) => Partial<Asked<V>[1]>,
): Break {
  return plays(verb, (ask, [lease, done, call]) =>
    (ask as (...asked: unknown[]) => Promise<Answer<V>>)(
      lease,
      { ...done, ...change(done as Asked<V>[1], lease) },
      call,
    ),
  );
}

/** Lets a verb find a changed record. Attributes that the verb does not write get their real values back. */
export function sees<V extends Verb>(verb: V, change: (record: LockRecord, ...asked: Asked<V>) => LockRecord): Break {
  return plays(verb, async (ask, asked, { read, write }) => {
    const name = nameOf(asked);
    const before = await read(name).catch(() => undefined);
    if (!before) return ask(...asked);
    const seen = change(before, ...asked);
    await write(name, seen);
    try {
      return await ask(...asked);
    } finally {
      await write(name, asUnseen(before, seen, (await read(name)) ?? {}) as LockRecord);
    }
  });
}

/** Changes the record that a verb leaves, or its answer. */
export function spoils<V extends Verb>(
  verb: V,
  change: (
    played: Played<V>,
    ...asked: Asked<V>
  ) => { readonly record?: LockRecord | undefined; readonly answer?: Answer<V> },
): Break {
  return plays(verb, async (ask, asked, { read, write }) => {
    const name = nameOf(asked);
    const before = (await read(name).catch(() => undefined)) ?? {};
    const answer = await ask(...asked);
    const record = (await read(name).catch(() => undefined)) ?? {};
    const hasWritten = !isSame(before, record);
    const changed = change({ before, record, hasWritten, answer }, ...asked);
    if (changed.record) await write(name, changed.record);
    return 'answer' in changed ? (changed.answer as Answer<V>) : answer;
  });
}

/** A writing verb writes a different record. */
export function writes<V extends Verb>(
  verb: V,
  change: (record: LockRecord, before: LockRecord, ...asked: Asked<V>) => LockRecord,
): Break {
  return spoils(verb, ({ before, record, hasWritten }, ...asked) =>
    hasWritten ? { record: change(record, before, ...asked) } : {},
  );
}

/** Changes the answer of a verb. */
export function answers<V extends Verb>(
  verb: V,
  change: (answer: Answer<V>, before: LockRecord, ...asked: Asked<V>) => Answer<V>,
): Break {
  return spoils(verb, ({ answer, before }, ...asked) => ({ answer: change(answer, before, ...asked) }));
}

/** Changes the lease of a grant. */
export function grants(change: (lease: Lease, before: LockRecord, claim: Claim) => Lease): Break {
  return answers('acquire', (answer, before, claim) =>
    answer.status === 'acquired' ? { ...answer, lease: change(answer.lease, before, claim) } : answer,
  );
}

/** Changes a refusal. */
export function refuses(change: (refused: Refused, before: LockRecord) => Refused): Break {
  return answers('acquire', (answer, before) => (answer.status === 'refused' ? change(answer, before) : answer));
}

function nameOf([first]: readonly unknown[]): string {
  return typeof first === 'string' ? first : (first as { readonly name: string }).name;
}
