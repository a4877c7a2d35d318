import type { StoreCall } from '../../core/ports/lock-store.js';
import { tryUntilAnswered } from '../../core/request/try-loop.js';
import { classifyFailure, DENIED_IN_SCRIPT, redisMessage } from './errors.js';

/*
 * What a user may not do. In a script Redis 7.0 refuses a command without its name, and later versions name only the
 * first one; so a script asks which commands the user may not run. It runs none of them.
 */

/** The commands of all scripts. In place of `key` stands the key of the lock. */
const COMMANDS = ['TIME', 'HGETALL key', 'HMGET key field', 'HGET key field', 'HSET key field value', 'HDEL key field'];
/** The further commands of a list. */
const OF_A_LIST = ['SCAN 0', 'CLUSTER NODES'];

/** Arguments: commands. Answers with the numbers of those that the user may not run. Servers without ACL have none. */
const ASK = `
local denied = {}
for i, words in ipairs(ARGV) do
  local command = {}
  for word in string.gmatch(words, '%S+') do command[#command + 1] = word == 'key' and KEYS[1] or word end
  if redis.acl_check_cmd and not redis.acl_check_cmd(unpack(command)) then denied[#denied + 1] = tostring(i) end
end
return table.concat(denied, ' ')
`;

const PATIENCE_MS = 1_000;

/** The client that is asked which commands its user may not run. */
interface Asked {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
}

/** Where Redis denied something: a key of the store, the beginning of all its keys, and whether a list was asked for. */
export interface DeniedAt {
  readonly key: string;
  readonly prefix: string;
  readonly lists: boolean;
}

/**
 * If `error` says that Redis denies a command or a key, says which, as far as Redis says so, and the remedy; otherwise
 * undefined.
 */
export async function deniedBy(
  error: unknown,
  client: Asked,
  { key, prefix, lists }: DeniedAt,
  call: StoreCall,
): Promise<string | undefined> {
  const denial = denialOf(error, prefix);
  if (!denial?.inScript) return denial && wordsOfDenial(denial);
  const asked = lists ? [...COMMANDS, ...OF_A_LIST] : COMMANDS;
  const limits = { ...call, signal: new AbortController().signal, tryMs: PATIENCE_MS, budgetMs: PATIENCE_MS };
  const answer = await tryUntilAnswered(limits, () => client.eval(ASK, [key], asked), classifyFailure);
  const numbers = 'value' in answer && typeof answer.value === 'string' ? answer.value.split(' ').map(Number) : [];
  const commands = numbers.flatMap((number) => asked[number - 1] ?? []).map(commandOf);
  return wordsOfDenial(commands.length === 0 ? denial : { ...denial, commands });
}

/** The command as rules of an ACL name it: `hget`, `cluster|nodes`. */
function commandOf(example: string): string {
  const [command = '', argument] = example.toLowerCase().split(' ');
  return command === 'cluster' ? `${command}|${argument}` : command;
}

/** What Redis does not let a user do. */
interface Denial {
  /** The commands, as rules of an ACL name them; empty if Redis does not say, or if it denies a key. */
  readonly commands: readonly string[];
  /** The pattern of the keys. */
  readonly keys: string;
  /** Whether a script was begun, and then denied a command. */
  readonly inScript: boolean;
}

/**
 * Reads what Redis's own message says about a denied command or key; undefined if it denies none.
 *
 * @param prefix the keys of the store begin with it
 */
function denialOf(error: unknown, prefix: string): Denial | undefined {
  const message = redisMessage(error);
  const inScript = DENIED_IN_SCRIPT.test(message);
  if (!inScript && !message.startsWith('NOPERM')) return undefined;
  const [, command] = /run the '([a-z|]+)' command/.exec(message) ?? [];
  return { commands: command === undefined ? [] : [command], keys: `${prefix}*`, inScript };
}

function wordsOfDenial({ commands, keys }: Denial): string {
  const what = commands.length === 0 ? `a command on keys like ${keys}` : `${commands.join(', ').toUpperCase()}`;
  const rule = [`~${keys}`, ...commands.map((command) => `+${command}`)].join(' ');
  return `Redis does not let this user run ${what}; allow it with "ACL SETUSER <user> ${rule}", or with the lines of docs/stores/redis.md, "Permissions or setup"`;
}
