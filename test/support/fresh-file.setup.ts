import { vi } from 'vitest';

/*
 * Before each file: it loads its own modules and those of src, and finds no environment or global of a file before.
 * Packages, which take longer to load, stay loaded.
 */

vi.resetModules();
vi.unstubAllEnvs();
vi.unstubAllGlobals();

/** The storages that copies of this library have opened in this worker. Up to Node 22 each of them slows all promises. */
const opened = storagesOpened(globalThis as typeof globalThis & Worker);
for (const storage of opened) storage.disable();

interface Storage {
  disable(): void;
}

interface Worker {
  storagesOpened?: Set<Storage>;
}

function storagesOpened(worker: Worker): Set<Storage> {
  worker.storagesOpened ??= watchedStorages();
  return worker.storagesOpened;
}

function watchedStorages(): Set<Storage> {
  const storages = new Set<Storage>();
  const hooks = process.getBuiltinModule('node:async_hooks');
  class WatchedStorage<T> extends hooks.AsyncLocalStorage<T> {
    constructor() {
      super();
      storages.add(this);
    }
  }
  Object.defineProperty(hooks, 'AsyncLocalStorage', { value: WatchedStorage });
  return storages;
}
