import { createHash } from 'node:crypto';
import { type IORedisClient, redisAdminStore, redisStore } from 'single-execution/redis';

type Stores = ReturnType<typeof redisStore> & ReturnType<typeof redisAdminStore>;

/** Replaces a text in the scripts that a verb sends, or in all scripts. A space in `from` matches any white space. */
export type ScriptEdit = readonly [verb: keyof Stores | 'any', from: string, to: string];

/** A bug in the scripts that run on Redis, and the cases that must show it. */
export interface ScriptBug {
  readonly name: string;
  readonly shownBy: readonly string[];
  readonly edits: readonly ScriptEdit[];
}

export function bug(name: string, shownBy: string | readonly string[], ...edits: readonly ScriptEdit[]): ScriptBug {
  return { name, shownBy: [shownBy].flat(), edits };
}

/** The statement with which a release or a mark sets the fields that a call names. */
export const PAIRS = 'for i = 5, #ARGV do changes[#changes + 1] = ARGV[i] end';
/** The statement with which a grant does. */
export const GRANT_PAIRS = 'for i = 6, #ARGV do changes[#changes + 1] = ARGV[i] end';

/** The same statement, but it skips one field. */
export const withoutPair = (field: string, first = 5) =>
  `for i = ${first}, #ARGV, 2 do if ARGV[i] ~= '${field}' then set(ARGV[i], ARGV[i + 1]) end end`;

/** Stores on Redis whose scripts are changed between the library and its client. */
export function brokenScripts(
  { edits }: Pick<ScriptBug, 'edits'>,
  redis: IORedisClient,
  keyPrefix: string,
): {
  readonly locks: Stores;
  /**
   * Edits whose text is missing in every script or stands more than once in one, and errors with which Redis refused a
   * script.
   */
  mistakes(): readonly unknown[];
} {
  const refusals: unknown[] = [];
  const timesFound = new Map(edits.map((edit) => [edit, 0]));
  const broken = (script: string, verb: string): string => {
    let text = script;
    for (const edit of edits.filter(([of]) => of === 'any' || of === verb)) {
      const parts = text.split(anySpaced(edit[1]));
      timesFound.set(edit, Math.max(parts.length - 1, timesFound.get(edit) ?? 0));
      text = parts.join(edit[2]);
    }
    return text;
  };
  const clientOf = (verb: string): IORedisClient => {
    const known = new Map<string, string>();
    const run = async (script: string, ...rest: [number, ...string[]]) => {
      try {
        return await redis.eval(broken(script, verb), ...rest);
      } catch (error) {
        refusals.push(error);
        throw error;
      }
    };
    return {
      async evalsha(hash, ...rest) {
        const script = known.get(hash);
        if (script === undefined) throw new Error('NOSCRIPT No matching script');
        return run(script, ...rest);
      },
      eval(script, ...rest) {
        known.set(createHash('sha1').update(script).digest('hex'), script);
        return run(script, ...rest);
      },
    };
  };
  const storesOf = (verb: string): Stores => {
    const options = { client: clientOf(verb), keyPrefix };
    return { ...redisStore(options), ...redisAdminStore(options) };
  };
  const verbs = Object.keys(storesOf('any')) as (keyof Stores)[];
  return {
    locks: Object.fromEntries(verbs.map((verb) => [verb, storesOf(verb)[verb]])) as unknown as Stores,
    mistakes: () => [...refusals, ...[...timesFound].filter(([, times]) => times !== 1)],
  };
}

function anySpaced(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replace(/\s+/g, '\\s+'));
}
