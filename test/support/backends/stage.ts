import { executeWithLock, type LockStore } from 'single-execution';
import { type BACKENDS, backendOf, freshPlace, type Kind, openStore } from '../backends.js';
import type { Engine, Fields, OpenStore, StoreAddress } from './backend.js';

/** An engine that runs, and an empty store on it with a connection for the test. */
export interface Opened<E extends Engine = Engine> extends OpenStore {
  readonly engine: E;
  readonly address: StoreAddress;
  /** How long after the end of a lease the store may still refuse others. */
  readonly lateMs: number;
  /** Replaces a lock's record directly in the database. `key` is the name with its prefix. */
  put(key: string, fields: Fields): Promise<void>;
}

type EngineOf<K extends Kind> = Awaited<ReturnType<(typeof BACKENDS)[K]['start']>>;

/** Engines that one test file uses, each with an empty store. */
export interface BackendStage {
  on<K extends Kind>(kind: K): Opened<EngineOf<K>>;
  stop(): Promise<void>;
}

/** Starts engines, and opens an empty store on each of them. */
export async function startBackends(...kinds: readonly Kind[]): Promise<BackendStage> {
  const opened = new Map(await Promise.all(kinds.map(async (kind) => [kind, await startOne(kind)] as const)));
  const on = (kind: Kind): Opened => {
    const one = opened.get(kind);
    if (!one) throw new Error(`${kind} was not started: only ${kinds.join(', ')}`);
    return one;
  };
  return {
    on: on as BackendStage['on'],
    async stop() {
      for (const one of opened.values()) one.close();
      await Promise.all([...opened.values()].map(({ engine }) => engine.stop()));
    },
  };
}

async function startOne(kind: Kind): Promise<Opened> {
  const { start, lateMs } = backendOf(kind);
  const engine = await start();
  const address = await freshPlace(engine);
  const put = (key: string, fields: Fields) => engine.put(address, key, fields);
  return { engine, address, lateMs, put, ...(await openStore(address)) };
}

/** Makes a server answer once: its first answer can take longer than a short lease, or longer than a call waits. */
export async function warmUp(store: LockStore): Promise<void> {
  const first = () => executeWithLock(() => undefined, { name: 'first', store, lockAtMostFor: '1m', observers: [] });
  await first().catch(first).catch(first);
}
