import { randomUUID } from 'node:crypto';
import type { Locks } from '../support/backends/backend.js';
import { shiftedClock } from '../support/clocks.js';
import { patientCall } from '../support/contract-harness.js';
import { type Library, libraryOn } from './clients.js';
import type { AnyFault } from './faults.js';
import { recordText } from './record-text.js';
import type { Client, Way } from './way.js';
import { verbsOf } from './wire/sql-request.js';
import type { Wire } from './wire/wire.js';

/** The surroundings of one case: locks that no other case has, and a way of its own to the store. */
export interface Scene extends Locks {
  readonly library: Library;
  readonly wire: Wire<AnyFault>;
  /** Stores that reach the server past the wire. */
  readonly direct: Locks;
  verbs(): readonly string[];
  /** The ids of the attempts that the requests so far named. */
  attempts(): ReadonlySet<string>;
  /** The record of {@link NAME} in words, and its fencing token. */
  record(): Promise<{ readonly text: string; readonly fencingToken: unknown }>;
  stop(): Promise<void>;
}

/** The only lock of a scene. The store's key prefix keeps it apart from other scenes. */
export const NAME = 'job';

/** A real store, reached by one client. */
export interface Stage {
  scene(): Promise<Scene>;
  stop(): Promise<unknown>;
}

/** A call for requests that no fault strikes. */
const unstruckCall = () => patientCall(shiftedClock(0));

export async function startStage(way: Way, { age = 'newest', connect }: Client): Promise<Stage> {
  const library = await libraryOn(age);
  const engine = await way.start();
  // One connection for all scenes: a client takes longer to make than most cases take.
  const pastWires = await connect(engine.address, { library });
  const scene = async (): Promise<Scene> => {
    const keyPrefix = `${randomUUID()}:`;
    let verb = '';
    const note = (called: string) => {
      verb = called;
    };
    const wire = await engine.wire(() => verb);
    await engine.prepare?.(keyPrefix + NAME);
    const direct = pastWires.prefixed(keyPrefix);
    const connection = await connect({ ...engine.address, url: wire.url }, { library, wire });
    const { store, admin } = connection.prefixed(keyPrefix);
    const struck = { store: noting(store, note), admin: noting(admin, note) };
    // Warm up: a client learns some things of its server only once, and takes long for a second connection.
    await Promise.all([1, 2].map(() => struck.admin.get('first of all', unstruckCall())));
    wire.reset();
    const attempts = () => new Set(wire.seen().flatMap(({ attempt }) => attempt?.match(/^a/)?.input ?? []));
    return {
      library,
      wire,
      ...struck,
      direct,
      verbs: () => verbsOf(wire.seen()),
      attempts,
      async record() {
        const { item = {} } = (await direct.admin.get(NAME, unstruckCall())) ?? {};
        return { text: recordText(item, attempts()), fencingToken: item['fencingToken'] };
      },
      async stop() {
        // A client can wait for what is under way: only the end of its connections ends that.
        void connection.close();
        await wire.stop();
      },
    };
  };
  const stop = async () => {
    await pastWires.close();
    return engine.stop();
  };
  return { scene, stop };
}

function noting<S extends object>(store: S, note: (verb: string) => void): S {
  return new Proxy(store, {
    get(target, verb) {
      const value: unknown = Reflect.get(target, verb);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]) => {
        note(String(verb));
        return value.apply(target, args);
      };
    },
  });
}
