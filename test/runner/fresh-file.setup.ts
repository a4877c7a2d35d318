import { vi } from 'vitest';

/*
 * Before each file: unload the modules of the tests and of src, and remove the environment variables and globals that
 * another file has set. Packages stay loaded, because they take longer to load.
 */

vi.resetModules();
vi.unstubAllEnvs();
vi.unstubAllGlobals();

/** Runs that an earlier file left behind keep their AsyncLocalStorage in use. Up to Node 22 this slows all promises. */
const frames = Symbol.for('single-execution.frames.2');
const shared = globalThis as { [frames]?: { readonly storage: { disable(): void } } | undefined };
shared[frames]?.storage.disable();
shared[frames] = undefined;
