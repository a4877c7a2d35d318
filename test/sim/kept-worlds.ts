import type { Kind } from './tally.js';

/** Worlds that once showed a fault, of the library or of the simulation; each is played again and again. */
export const KEPT_WORLDS: readonly (Kind & { readonly seed: number; readonly showed: string })[] = [];
