import { createHash } from 'node:crypto';
import { type IORedisClient, redisAdminStore, redisStore } from 'single-execution/redis';

type Stores = ReturnType<typeof redisStore> & ReturnType<typeof redisAdminStore>;

/** In the scripts that a verb sends, or in those of every verb, a text becomes another. Any space is as good as one. */
export type ScriptEdit = readonly [verb: keyof Stores | 'any', from: string, to: string];

/** A bug in the scripts that run on Redis, and the cases of which each must show it. */
export interface ScriptBug {
  readonly name: string;
  readonly shownBy: readonly string[];
  readonly edits: readonly ScriptEdit[];
}

export function bug(name: string, shownBy: string | readonly string[], ...edits: readonly ScriptEdit[]): ScriptBug {
  return { name, shownBy: [shownBy].flat(), edits };
}

/** Where a script sets the fields that a call names. */
export const PAIRS = 'for i = 5, #ARGV do changes[#changes + 1] = ARGV[i] end';

/** The same without one of the fields. */
export const withoutPair = (field: string) =>
  `for i = 5, #ARGV, 2 do if ARGV[i] ~= '${field}' then set(ARGV[i], ARGV[i + 1]) end end`;

/** Locks on a Redis that runs broken scripts: each is changed between the library and its client. */
export function brokenScripts(
  { edits }: Pick<ScriptBug, 'edits'>,
  redis: IORedisClient,
  keyPrefix: string,
): {
  readonly locks: Stores;
  /** Edits whose text no script had, or one had more than once, and what Redis refused to run. */
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
