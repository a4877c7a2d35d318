import { vi } from 'vitest';

/*
 * Before each file: it loads its own modules and those of src, and finds no environment or global of a file before.
 * Packages, which take longer to load, stay loaded.
 */

vi.resetModules();
vi.unstubAllEnvs();
vi.unstubAllGlobals();

/** Runs that a file has left behind keep their storage in use, which up to Node 22 slows all promises. */
const frames = Symbol.for('single-execution.frames.2');
const shared = globalThis as { [frames]?: { readonly storage: { disable(): void } } | undefined };
shared[frames]?.storage.disable();
shared[frames] = undefined;
