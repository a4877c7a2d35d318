import { randomUUID } from 'node:crypto';
import { type MemoryStore, memoryStore } from 'single-execution/memory';
import { memoryHarness } from '../contract-harness.js';
import { call, claim } from '../one-run.js';
import { type Backend, locksOf, opened } from './backend.js';

/** The stores of this process, by their places. */
const places = new Map<string, MemoryStore>();

function storeAt(place: string): MemoryStore {
  const store = places.get(place) ?? memoryStore();
  places.set(place, store);
  return store;
}

const IN_ONE_PROCESS = 'a store in memory exists in one process';

export const memory: Backend = {
  lacks: {
    processes: IN_ONE_PROCESS,
    network: IN_ONE_PROCESS,
    prefixes: 'a store in memory takes no prefix: make another store',
    tool: IN_ONE_PROCESS,
    sql: IN_ONE_PROCESS,
  },
  lateMs: 0,
  isQuick: true,
  requests: { run: 0, skip: 0 },
  faults: [],
  async start() {
    const ownPlace = randomUUID();
    return {
      at: (place = ownPlace) => ({ kind: 'memory', url: 'memory:', place }),
      make: async () => {},
      async put({ place }, key, fields) {
        const store = storeAt(place);
        await store.acquire(claim({ name: key }), call());
        // `get` returns the stored item itself, not a copy.
        const { item = {} } = (await store.get(key, call())) ?? {};
        for (const field of Object.keys(item)) Reflect.deleteProperty(item, field);
        Object.assign(item, Object.fromEntries(fields));
      },
      harness: ({ place }) => memoryHarness(storeAt(place)),
      args: () => [],
      env: {},
      stop: async () => {},
    };
  },
  async open({ place }) {
    return opened((keyPrefix) => locksOf(storeAt(keyPrefix === '' ? place : `${place} ${keyPrefix}`)));
  },
};
