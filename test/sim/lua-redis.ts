import { lauxlib, lua, lualib, to_jsstring, to_luastring } from 'fengari';

/** The data of a Redis: its hashes by key, and its clock. */
export interface RedisData {
  readonly hashes: Map<string, Map<string, string>>;
  nowMs(): number;
}

/** An answer of Redis as Lua gets it: `false` stands for a missing value. */
type Value = string | number | false | readonly Value[];

/** The Redis commands that the library's scripts call. */
const COMMANDS: Record<string, (redis: RedisData, key: string, ...args: string[]) => Value> = {
  // The interpreter's integers have 32 bits, so answer floats.
  TIME: ({ nowMs }) => [Math.floor(nowMs() / 1_000), (Math.floor(nowMs()) % 1_000) * 1_000],
  HGET: ({ hashes }, key, field = '') => hashes.get(key)?.get(field) ?? false,
  HMGET: ({ hashes }, key, ...fields) => fields.map((field) => hashes.get(key)?.get(field) ?? false),
  HGETALL: ({ hashes }, key) => [...(hashes.get(key) ?? [])].flat(),
  HSET({ hashes }, key, ...fields) {
    const hash = hashes.get(key) ?? new Map<string, string>();
    hashes.set(key, hash);
    for (let i = 0; i < fields.length; i += 2) hash.set(fields[i] as string, fields[i + 1] as string);
    return [];
  },
  HDEL({ hashes }, key, ...fields) {
    const hash = hashes.get(key);
    for (const field of fields) hash?.delete(field);
    if (hash?.size === 0) hashes.delete(key);
    return [];
  },
  SCAN: ({ hashes }) => ['0', [...hashes.keys()]],
};

/** What Redis offers to scripts besides `redis.call`: `redis.pcall`, `unpack` of Lua 5.1, and JSON of texts and small numbers. */
const AROUND = `
unpack = table.unpack

function redis.pcall(...)
  local done, answer = pcall(redis.call, ...)
  return done and answer or { err = answer }
end

local function quoted(text)
  return '"' .. string.gsub(text, '[%c"\\\\]', function(sign) return string.format('\\\\u%04x', string.byte(sign)) end) .. '"'
end

cjson = {}
function cjson.encode(value)
  if type(value) == 'string' then return quoted(value) end
  if type(value) == 'number' then return tostring(value) end
  local parts, isList = {}, value[1] ~= nil
  for key, part in (isList and ipairs or pairs)(value) do
    parts[#parts + 1] = (isList and '' or quoted(key) .. ':') .. cjson.encode(part)
  end
  return (isList and '[' or '{') .. table.concat(parts, ',') .. (isList and ']' or '}')
end
`;

const L = lauxlib.luaL_newstate();
const compiled = new Map<string, number>();
let current: RedisData | undefined;
openRedis();

/** Runs a script of the library over the data, as `EVAL` does. @throws Error if the script fails */
export function evalLua(redis: RedisData, script: string, keys: readonly string[], args: readonly string[]): string {
  current = redis;
  let at = compiled.get(script);
  if (at === undefined) {
    check(lauxlib.luaL_loadstring(L, to_luastring(script)));
    at = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
    compiled.set(script, at);
  }
  push(keys);
  lua.lua_setglobal(L, to_luastring('KEYS'));
  push(args);
  lua.lua_setglobal(L, to_luastring('ARGV'));
  lua.lua_rawgeti(L, lua.LUA_REGISTRYINDEX, at);
  check(lua.lua_pcall(L, 0, 1, 0));
  const answer = to_jsstring(lua.lua_tostring(L, -1));
  lua.lua_settop(L, 0);
  return answer;
}

/** Sets up the interpreter with what Redis offers to scripts. */
function openRedis(): void {
  lualib.luaL_openlibs(L);
  lua.lua_createtable(L, 0, 1);
  lua.lua_pushcfunction(L, () => {
    const [command = '', key = '', ...args] = Array.from({ length: lua.lua_gettop(L) }, (_, i) =>
      to_jsstring(lauxlib.luaL_checkstring(L, i + 1)),
    );
    const run = COMMANDS[command];
    if (!run || !current) return lauxlib.luaL_error(L, to_luastring(`no command ${command}`));
    push(run(current, key, ...args));
    return 1;
  });
  lua.lua_setfield(L, -2, to_luastring('call'));
  lua.lua_setglobal(L, to_luastring('redis'));
  check(lauxlib.luaL_dostring(L, to_luastring(AROUND)) ? 1 : lua.LUA_OK);
}

function push(value: Value): void {
  if (typeof value === 'number') lua.lua_pushnumber(L, value);
  else if (value === false) lua.lua_pushboolean(L, value);
  else if (typeof value === 'string') lua.lua_pushstring(L, to_luastring(value));
  else {
    lua.lua_createtable(L, value.length, 0);
    for (const [i, part] of value.entries()) {
      push(part);
      lua.lua_rawseti(L, -2, i + 1);
    }
  }
}

function check(status: number): void {
  if (status !== lua.LUA_OK) throw new Error(to_jsstring(lua.lua_tostring(L, -1)));
}
