import { vi } from 'vitest';

/*
 * Before each file: it loads its own modules and those of src, and finds no environment or global of a file before.
 * Packages, which take longer to load, stay loaded.
 */

vi.resetModules();
vi.unstubAllEnvs();
vi.unstubAllGlobals();

/** Up to Node 22 a storage that is enabled slows all promises. The next run enables it again. */
const frames = Symbol.for('single-execution.frames.1');
(globalThis as { [frames]?: { disable(): void } })[frames]?.disable();
