import type { StoreCall } from '../../core/ports/lock-store.js';
import { tryUntilAnswered } from '../../core/request/try-loop.js';
import { classifyFailure, type Denial, denialOf } from './errors.js';
import type { RedisClient } from './send.js';

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

/**
 * If `error` says that Redis denies a command or a key, returns which, as far as Redis says so; otherwise undefined.
 *
 * @param key a key of the store; the keys of all its locks begin with `prefix`
 */
export async function deniedBy(
  error: unknown,
  client: RedisClient,
  { key, prefix, lists }: { readonly key: string; readonly prefix: string; readonly lists: boolean },
  call: StoreCall,
): Promise<Denial | undefined> {
  const denial = denialOf(error, prefix);
  if (!denial?.inScript) return denial;
  const asked = lists ? [...COMMANDS, ...OF_A_LIST] : COMMANDS;
  const limits = { ...call, signal: new AbortController().signal, tryMs: PATIENCE_MS, budgetMs: PATIENCE_MS };
  const answer = await tryUntilAnswered(limits, () => client.eval(ASK, [key], asked), classifyFailure);
  const numbers = 'value' in answer && typeof answer.value === 'string' ? answer.value.split(' ').map(Number) : [];
  const commands = numbers.flatMap((number) => asked[number - 1] ?? []).map(commandOf);
  return commands.length === 0 ? denial : { ...denial, commands };
}

/** The command as rules of an ACL name it: `hget`, `cluster|nodes`. */
function commandOf(example: string): string {
  const [command = '', argument] = example.toLowerCase().split(' ');
  return command === 'cluster' ? `${command}|${argument}` : command;
}
