import { describeType } from '../../core/values/checks.js';
import { newAttemptId } from '../../core/values/names.js';
import { readThrownText } from '../../core/values/thrown.js';
import { type Emitter, ioredisState, nodeRedisState, stateOf, warnOfNoListener } from './connecting.js';
import { NotSent } from './errors.js';
import { deniedBy } from './rights.js';
import { type RedisClient, type ScriptClient, sharedClients } from './send.js';

/*
 * The clients that a store takes, told apart by a function that no other has, and what each does for it: run a script,
 * say why it cannot send now and, for a client of a cluster, run a script on each master.
 */

/** A client of ioredis or iovalkey, of one Redis, of sentinels or of a cluster; or a client with the same interface. */
export interface IORedisClient {
  /** Runs a script. */
  eval(script: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>;
  /** Runs a script that the server knows, by its SHA-1. */
  evalsha(sha1: string, numberOfKeys: number, ...keysAndArgs: string[]): Promise<unknown>;
  /** The state of the connection: `ready`, `reconnecting` and so on. */
  readonly status?: string;
}

/** A client of node-redis (the package `redis`), of one Redis, of sentinels or of a cluster, or a pool of clients. */
export interface NodeRedisClient {
  /** Runs a script. */
  eval(
    script: string,
    options: {
      /** The keys that the script touches. */
      keys: string[];
      /** The arguments of the script. */
      arguments: string[];
    },
  ): Promise<unknown>;
  /** Runs a script that the server knows, by its SHA-1. */
  evalSha(
    sha1: string,
    options: {
      /** The keys that the script touches. */
      keys: string[];
      /** The arguments of the script. */
      arguments: string[];
    },
  ): Promise<unknown>;
  /** Whether `connect()` was called, and not yet `close()`. */
  readonly isOpen?: boolean;
  /** Whether the client has a connection now. */
  readonly isReady?: boolean;
}

/** A client of Valkey GLIDE (the package `@valkey/valkey-glide`), of one server or of a cluster. */
export interface ValkeyGlideClient {
  /** Sends a command. */
  customCommand(args: string[], options?: object): Promise<unknown>;
}

const clients = sharedClients('', deniedBy);

/** @throws TypeError if this is not a client of a known package */
export function clientOf(client: IORedisClient | NodeRedisClient | ValkeyGlideClient): RedisClient {
  if (typeof client === 'object' && client !== null) {
    if ('createScript' in client) {
      throw new TypeError('client is a client of @upstash/redis: pass it to upstashStore({ redis })');
    }
    if ('evalSha' in client) return clients(client, () => nodeRedis(client));
    if ('evalsha' in client) return clients(client, () => ioredis(client));
    if ('customCommand' in client) return clients(client, () => glide(client));
    if ('then' in client) throw new TypeError('client is a promise: await it, as in await createClient().connect()');
  }
  throw new TypeError(
    `client is ${describeType(client)}: pass a client of ioredis, node-redis, iovalkey or Valkey GLIDE, or an object with their eval and evalsha`,
  );
}

/** What a client of ioredis has besides its commands. */
interface IORedisRest extends Emitter {
  readonly isCluster?: boolean;
  nodes?(role: 'master'): IORedisClient[];
  readonly options?: { readonly db?: number; readonly path?: string };
}

const NO_SCHEME =
  'the URL does not begin with redis:// or rediss://, so ioredis takes it for the path of a socket: correct the URL';

function ioredis(client: IORedisClient & IORedisRest): ScriptClient {
  const { db, path } = client.options ?? {};
  // ioredis takes `http://host` for this path, and version 5.0 for `/`.
  const isNoSocket = path === '/' || path?.startsWith('//');
  const { connected, notSent } = stateOf({
    client,
    state: () => ioredisState(client),
    ask: async (script, args) => client.eval(script, 0, ...args),
    database: db,
  });
  return {
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    evalsha: (hash, keys, args) => client.evalsha(hash, keys.length, ...keys, ...args),
    connected: (call) => (isNoSocket ? undefined : connected(call)),
    notSent: () => (isNoSocket ? new NotSent('INVALID_REQUEST', NO_SCHEME) : notSent()),
    masters: () => (client.isCluster === true ? (client.nodes?.('master') ?? []).map(clientOf) : undefined),
  };
}

/** A node of a cluster of node-redis. Version 4.0 has its client here; later versions make it in `nodeClient`. */
interface NodeRedisNode {
  readonly client?: NodeRedisClient;
}

/** What a client of node-redis has besides its commands. */
interface NodeRedisRest extends Emitter {
  readonly masters?: readonly NodeRedisNode[];
  getMasters?(): readonly NodeRedisNode[];
  nodeClient?(node: NodeRedisNode): NodeRedisClient | Promise<NodeRedisClient>;
  /** Of version 4. */
  commandsExecutor?: unknown;
  /** As a cluster has it. */
  sendCommand?(firstKey: string | undefined, isReadonly: boolean, args: string[]): Promise<unknown>;
}

function nodeRedis(client: NodeRedisClient & NodeRedisRest): ScriptClient {
  const { connected, notSent } = stateOf({
    client,
    state: () => nodeRedisState(client),
    ask: async (script, args) => client.eval(script, { keys: [], arguments: args }),
  });
  let looked = false;
  return {
    ...('masters' in client || 'getMasters' in client ? nodeRedisCluster(client) : nodeRedisScripts(client)),
    connected(call) {
      if (!looked) warnOfNoListener(client);
      looked = true;
      return connected(call);
    },
    notSent,
    masters() {
      const nodes = client.masters ?? client.getMasters?.();
      return nodes?.map(async (node) =>
        clientOf((await client.nodeClient?.(node)) ?? (node.client as NodeRedisClient)),
      );
    },
  };
}

type Scripts = Pick<ScriptClient, 'eval' | 'evalsha'>;
type ClusterScripts = Scripts & Pick<ScriptClient, 'lookAgain'>;

const nodeRedisScripts = (client: NodeRedisClient): Scripts => ({
  eval: (script, keys, args) => client.eval(script, { keys, arguments: args }),
  evalsha: (hash, keys, args) => client.evalSha(hash, { keys, arguments: args }),
});

function nodeRedisCluster(client: NodeRedisClient & NodeRedisRest): ClusterScripts {
  // Version 4 looks for the key of a script in the wrong argument, and sends the script to any node.
  const send = async (...args: string[]) => client.sendCommand?.(args[3], false, args);
  const scripts: Scripts =
    client.commandsExecutor === undefined
      ? nodeRedisScripts(client)
      : {
          eval: (script, keys, args) => send('EVAL', script, String(keys.length), ...keys, ...args),
          evalsha: (hash, keys, args) => send('EVALSHA', hash, String(keys.length), ...keys, ...args),
        };
  /**
   * Up to version 5 a client waits for ever for a master that has crashed. It learns of the new master if another node
   * refuses a key, so a try that is sent beside a silent one shows this key to any node.
   */
  const lookAgain = async (key: string) => client.sendCommand?.(newAttemptId(), false, ['EVAL', 'return 1', '1', key]);
  const silent = new Set<string>();
  const follow = async (name: keyof Scripts, script: string, keys: string[], args: string[]) => {
    const tried = `${keys[0]} ${args[0]}`;
    if (silent.delete(tried)) lookAgain(keys[0] ?? '').catch(() => undefined);
    else silent.add(tried);
    try {
      return await scripts[name](script, keys, args);
    } catch (error) {
      return stillMoving(error);
    } finally {
      silent.delete(tried);
    }
  };
  return {
    eval: (script, keys, args) => follow('eval', script, keys, args),
    evalsha: (hash, keys, args) => follow('evalsha', hash, keys, args),
    lookAgain,
  };
}

/** A client of a cluster follows MOVED. If it has followed too many, the nodes do not yet agree who serves the slot. */
function stillMoving(error: unknown): never {
  if (readThrownText(error, 'message').startsWith('MOVED')) throw new Error('TRYAGAIN the slot is moving');
  throw error;
}

/** What a client of Valkey GLIDE has besides its commands. */
interface GlideRest {
  readonly isClosed?: boolean;
}

/** @param route the node of a cluster that gets each script; without it, the cluster's client chooses by the key */
function glide(client: ValkeyGlideClient & GlideRest, route?: GlideRoute): ScriptClient {
  const send = (...args: string[]) =>
    route === undefined ? client.customCommand(args) : client.customCommand(args, { route });
  return {
    eval: (script, keys, args) => send('EVAL', script, String(keys.length), ...keys, ...args),
    evalsha: (hash, keys, args) => send('EVALSHA', hash, String(keys.length), ...keys, ...args),
    notSent: () =>
      client.isClosed === true
        ? new NotSent('UNAVAILABLE', 'the client is closed: close it after the last run')
        : undefined,
    ...(route === undefined && {
      // Only a client of a cluster has this function.
      masters: () => ('fcallWithRoute' in client ? glideMasters(client) : undefined),
    }),
  };
}

interface GlideRoute {
  readonly type: 'routeByAddress';
  readonly host: string;
  readonly port: number;
}

/** The masters of a cluster, by the addresses in the answers of all of them. */
async function glideMasters(client: ValkeyGlideClient): Promise<RedisClient[]> {
  const answers = await client.customCommand(['EVAL', 'return 1', '0'], { route: 'allPrimaries' });
  return (Array.isArray(answers) ? answers : []).map(({ key }: { readonly key?: unknown }) => {
    const [, host = '', port] = /^(.*):(\d+)$/.exec(String(key)) ?? [];
    return clients({}, () => glide(client, { type: 'routeByAddress', host, port: Number(port) }));
  });
}
