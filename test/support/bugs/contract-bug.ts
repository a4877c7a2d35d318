import type { Edit, SeededBug } from '../seeded-bug.js';

/** A bug in the rules of a store, and a case that must show it. */
export interface ContractBug extends SeededBug {
  readonly shownBy: string;
}

export function bug(name: string, shownBy: string, ...edits: Edit[]): ContractBug {
  return { name, shownBy, edits };
}

export const STORE = 'stores/memory.ts#memoryStore';
