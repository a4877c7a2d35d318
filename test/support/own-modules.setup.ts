import { vi } from 'vitest';

/** Each file loads its own modules and those of src; packages, which take longer, stay loaded. */
vi.resetModules();
