/** The variable of the environment that names sets of locks: a JSON list of prefixes, such as `["tenant-sync/*"]`. */
export const LOCK_SETS_VARIABLE = 'SINGLE_EXECUTION_LOCK_SETS';

const REMEDY = 'give a list of prefixes that end in \'*\', such as ["tenant-sync/*"]';

/** What is wrong with the names of sets, and the remedy; undefined if they are a list of prefixes. */
export function lockSetsProblem(sets: unknown): string | undefined {
  return Array.isArray(sets) && sets.every((set) => typeof set === 'string' && /.\*$/s.test(set)) ? undefined : REMEDY;
}

/** What the variable holds, unchecked: see {@link lockSetsProblem}. */
export function readLockSets(text: string | undefined): unknown {
  if (!text) return [];
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The set that a lock belongs to, by its longest prefix; undefined if none. */
export function lockSetOf(name: string, sets: readonly string[]): string | undefined {
  const [set] = sets.filter((prefix) => name.startsWith(prefix.slice(0, -1))).sort((a, b) => b.length - a.length);
  return set;
}
