import { createHash } from 'node:crypto';
import type { Reply } from './resp.js';

const FLAG = 'allow-key-locking';

/** Refuses keys that were not declared, as Upstash does under the flag; in one line, so that line numbers stay. */
const GUARD = [
  'local redis=(function(r)',
  'local declared={} for _,key in ipairs(KEYS) do declared[key]=true end',
  'local function refusal(...)',
  "local used=r.pcall('COMMAND','GETKEYS',...)",
  'if used.err then return nil end',
  'for _,key in ipairs(used) do if not declared[key] then',
  `return {err="ERR Dynamic keys are not allowed in Lua scripts when '${FLAG}' flag is set. Key was: "..key}`,
  'end end end',
  'return setmetatable({',
  'call=function(...) local no=refusal(...) if no then error(no) end return r.call(...) end,',
  'pcall=function(...) return refusal(...) or r.pcall(...) end',
  '},{__index=r}) end)(redis)',
].join(' ');

export interface UpstashScripts {
  /** The command as plain Redis understands it. */
  toRedis(command: readonly string[]): readonly string[];
  /** The reply to that command as the sender of the original expects it. */
  fromRedis(command: readonly string[], reply: Reply): Reply;
}

/** Lets scripts under Upstash's `#!lua flags=allow-key-locking` run on a plain Redis, known by their own SHA-1. */
export function upstashScripts(): UpstashScripts {
  const plainShas = new Map<string, string>();

  const plain = (script: string): string => {
    const text = withoutFlag(script);
    if (text !== script) plainShas.set(sha1(script), sha1(text));
    return text;
  };
  const plainSha = (sha: string): string => plainShas.get(sha.toLowerCase()) ?? sha;

  return {
    toRedis(command) {
      const [name = '', first = '', ...rest] = command;
      switch (name.toLowerCase()) {
        case 'eval':
        case 'eval_ro':
          return [name, plain(first), ...rest];
        case 'evalsha':
        case 'evalsha_ro':
          return [name, plainSha(first), ...rest];
        case 'script':
          if (first.toLowerCase() === 'load') return [name, first, ...rest.map(plain)];
          if (first.toLowerCase() === 'exists') return [name, first, ...rest.map(plainSha)];
          return command;
        default:
          return command;
      }
    },
    fromRedis([name = '', first = '', script = ''], reply) {
      const loaded = `${name} ${first}`.toLowerCase() === 'script load' && Buffer.isBuffer(reply);
      return loaded ? Buffer.from(sha1(script)) : reply;
    },
  };
}

function withoutFlag(script: string): string {
  const [line, given] = /^#!lua[^\n]*\bflags=(\S*)[^\n]*/.exec(script) ?? [];
  const flags = given?.split(',') ?? [];
  if (line === undefined || !flags.includes(FLAG)) return script;
  const others = flags.filter((flag) => flag !== FLAG);
  const body = GUARD + script.slice(line.length);
  return others.length === 0 ? body : `#!lua flags=${others.join(',')}\n${body}`;
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
