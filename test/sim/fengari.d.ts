declare module 'fengari' {
  type State = object;
  type LuaString = Uint8Array;
  export const lua: {
    readonly LUA_OK: number;
    readonly LUA_REGISTRYINDEX: number;
    lua_createtable(state: State, length: number, fields: number): void;
    lua_gettop(state: State): number;
    lua_pcall(state: State, args: number, results: number, handler: number): number;
    lua_pushcfunction(state: State, run: () => number): void;
    lua_pushboolean(state: State, value: boolean): void;
    lua_pushnumber(state: State, value: number): void;
    lua_pushstring(state: State, value: LuaString): void;
    lua_rawgeti(state: State, index: number, n: number): void;
    lua_rawseti(state: State, index: number, n: number): void;
    lua_setfield(state: State, index: number, name: LuaString): void;
    lua_setglobal(state: State, name: LuaString): void;
    lua_settop(state: State, index: number): void;
    lua_tostring(state: State, index: number): LuaString;
  };
  export const lauxlib: {
    luaL_checkstring(state: State, arg: number): LuaString;
    luaL_dostring(state: State, text: LuaString): number;
    luaL_error(state: State, message: LuaString): number;
    luaL_loadstring(state: State, text: LuaString): number;
    luaL_newstate(): State;
    luaL_ref(state: State, table: number): number;
  };
  export const lualib: { luaL_openlibs(state: State): void };
  export function to_luastring(text: string): LuaString;
  export function to_jsstring(text: LuaString): string;
}
