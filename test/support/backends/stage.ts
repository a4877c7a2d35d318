import { executeWithLock, type LockStore } from 'single-execution';
import { afterAll, beforeEach } from 'vitest';
import { type BACKENDS, backendOf, type Kind, kindsWith, openStore } from '../backends.js';
import { patientStore } from '../contract-harness.js';
import { inThisRun } from '../in-this-run.js';
import type { Ability, Engine, Fields, OpenStore, StoreAddress } from './backend.js';

/*
 * Engines for one test file.
 */

/**
 * The kinds with these abilities that a suite plays in this run if it starts processes or waits: the quick ones in `npm
 * test`, the others in `npm run test:proof`, in whose configuration the suite's file must stand.
 */
export function kindsOfRun(...abilities: readonly Ability[]): readonly Kind[] {
  const able = kindsWith(...abilities);
  const isQuick = (kind: Kind) => backendOf(kind).isQuick;
  return inThisRun(
    able.filter(isQuick),
    able.filter((kind) => !isQuick(kind)),
  );
}

type EngineOf<K extends Kind> = Awaited<ReturnType<(typeof BACKENDS)[K]['start']>>;

/** Running engines, without a table. */
export interface Engines {
  on<K extends Kind>(kind: K): EngineOf<K>;
  stop(): Promise<void>;
}

export async function startEngines(...kinds: readonly Kind[]): Promise<Engines> {
  const engines = new Map<Kind, Engine>();
  await Promise.all(kinds.map(async (kind) => engines.set(kind, await backendOf(kind).start())));
  return {
    on: <K extends Kind>(kind: K) => startedOf(engines, kind) as EngineOf<K>,
    stop: async () => void (await Promise.all([...engines.values()].map((engine) => engine.stop()))),
  };
}

/** An engine with an empty default place, for one test file. It stops at the file's end. */
export async function ownEngine<K extends Kind>(kind: K): Promise<EngineOf<K>> {
  const engine: Engine = await backendOf(kind).start();
  afterAll(() => engine.stop());
  await engine.make(engine.at());
  return engine as EngineOf<K>;
}

/** A Redis that is emptied before each test, by its own protocol or behind Upstash's. */
export async function clearedEngine<K extends 'redis' | 'upstash'>(kind: K): Promise<EngineOf<K>> {
  const engine = await ownEngine(kind);
  beforeEach(async () => void (await engine.client.flushall()));
  return engine;
}

/** An engine with an empty store, and a connection to it for the test. */
export interface Opened<E extends Engine = Engine> extends OpenStore {
  readonly engine: E;
  readonly address: StoreAddress;
  /** How long after the end of a lease the store may still refuse others. */
  readonly lateMs: number;
  /** Replaces a lock's record directly in the database. `key` is the name with its prefix. */
  put(key: string, fields: Fields): Promise<void>;
}

export interface BackendStage {
  on<K extends Kind>(kind: K): Opened<EngineOf<K>>;
  stop(): Promise<void>;
}

/** Starts engines, and opens an empty store on each of them. */
export async function startBackends(...kinds: readonly Kind[]): Promise<BackendStage> {
  const engines = await startEngines(...kinds);
  const all = new Map<Kind, Opened>();
  await Promise.all(kinds.map(async (kind) => all.set(kind, await openOn(kind, engines.on(kind)))));
  return {
    on: <K extends Kind>(kind: K) => startedOf(all, kind) as Opened<EngineOf<K>>,
    async stop() {
      for (const one of all.values()) one.close();
      await engines.stop();
    },
  };
}

async function openOn(kind: Kind, engine: Engine): Promise<Opened> {
  const address = engine.at();
  await engine.make(address);
  const put = (key: string, fields: Fields) => engine.put(address, key, fields);
  return { engine, address, lateMs: backendOf(kind).lateMs, put, ...(await openStore(address)) };
}

function startedOf<T>(started: ReadonlyMap<Kind, T>, kind: Kind): T {
  const one = started.get(kind);
  if (one === undefined) throw new Error(`${kind} was not started, only ${[...started.keys()].join(', ')}`);
  return one;
}

/** Makes a server answer once: its first answer can take longer than a short lease, or longer than a call waits. */
export async function warmUp(store: LockStore): Promise<void> {
  const options = { name: 'first', store: patientStore(store), lockAtMostFor: '1m', observers: [] };
  const first = () => executeWithLock(() => undefined, options);
  await first().catch(first).catch(first);
}
