import { DELETE, FORCE_RELEASE, GET, PAUSE, RESUME } from '../../../src/stores/redis/admin-scripts.js';
import { ACQUIRE, CANCEL, EXTEND, RELEASE, type RedisScript } from '../../../src/stores/redis/scripts.js';

/** A text that stands once in each of these scripts, and what a mutant has in its place. */
export type ScriptEdit = readonly [scripts: readonly RedisScript[], from: string, to: string];

/** A fault, the edits that make it, and a case that must show it. */
export type RedisMutant = readonly [fault: string, edits: readonly ScriptEdit[], shownBy: string];

/** Scripts that begin alike. */
export const ALIKE = [ACQUIRE, CANCEL, EXTEND, RELEASE, FORCE_RELEASE, PAUSE, RESUME, DELETE, GET];

/** @throws Error when a text does not stand once where it is to be replaced */
export function mutatedScripts(edits: readonly ScriptEdit[]): ReadonlyMap<string, string> {
  const mutated = new Map<string, string>();
  for (const [scripts, from, to] of edits) {
    for (const { text } of scripts) {
      const parts = (mutated.get(text) ?? text).split(from);
      if (parts.length !== 2) throw new Error(`'${from}' stands ${parts.length - 1} times in the script:\n${text}`);
      mutated.set(text, parts.join(to));
    }
  }
  return mutated;
}
