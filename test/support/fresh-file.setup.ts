import { vi } from 'vitest';

/*
 * Before each file: it loads its own modules and those of src, and finds no environment or global of a file before.
 * Packages, which take longer to load, stay loaded.
 */

vi.resetModules();
vi.unstubAllEnvs();
vi.unstubAllGlobals();
