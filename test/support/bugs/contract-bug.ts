import type { Edit, SeededBug } from '../seeded-bug.js';

/** A bug in the rules of a store, and a case that must show it. */
export interface ContractBug extends SeededBug {
  readonly shownBy: string;
}

export function bug(name: string, shownBy: string, ...edits: Edit[]): ContractBug {
  return { name, shownBy, edits };
}

/** The verbs of a run in the store in memory. */
export const STORE = 'stores/memory.ts#lockVerbs';

/** Those of an operator. */
export const ADMIN = 'stores/memory.ts#adminVerbs';
