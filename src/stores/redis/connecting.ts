import { warn } from '../../core/observers/operator-log.js';
import type { StoreCall } from '../../core/ports/lock-store.js';
import { pause } from '../../core/values/clock.js';
import { finalRefusal, NotSent } from './errors.js';
import type { RedisClient } from './send.js';

/*
 * The state of clients' connections. No script of a lock goes to a client that is closed or reconnecting: the client
 * would refuse the script, or keep it and send it after the caller has given up.
 */

/** `closed`: the program must connect the client; `away`: the client is connecting by itself. */
type State = 'closed' | 'away' | 'usable';

/** What is used of Node's event emitter. A client of one's own need not be one. */
export interface Emitter {
  on?(event: 'error', listener: (error: unknown) => void): unknown;
  off?(event: 'error', listener: (error: unknown) => void): unknown;
  listenerCount?(event: 'error'): number;
}

/** Time between two looks at a client that is connecting. */
const LOOK_MS = 10;

interface Connection {
  readonly client: Emitter;
  state(): State;
  /** Sends a script that touches no lock. */
  ask(script: string, args: string[]): Promise<unknown>;
  /** The number of the database that ioredis selects. If there is no such database, it goes on in database 0. */
  readonly database?: number | undefined;
}

/** Makes the functions of a {@link RedisClient} that depend on the state of its connection. */
export function stateOf(connection: Connection): Required<Pick<RedisClient, 'notSent' | 'connected'>> {
  const { state, ask, database = 0 } = connection;
  let isAsked = database === 0;
  let asking: Promise<NotSent | undefined> | undefined;
  const answered = () => {
    isAsked = true;
    return undefined;
  };
  /**
   * A client whose login is refused reconnects again and again, and reports the reason only to commands that wait to be
   * sent.
   */
  const askOnce = () => {
    const script = isAsked ? 'return 1' : "return redis.call('SELECT', ARGV[1])";
    asking ??= ask(script, isAsked ? [] : [String(database)]).then(answered, finalRefusal);
    void asking.then(() => {
      asking = undefined;
    });
    return asking;
  };
  return {
    notSent() {
      switch (state()) {
        case 'closed':
          return new NotSent(
            'UNAVAILABLE',
            'the client is closed: await client.connect() before the first run, and close it after the last',
          );
        case 'away':
          return notConnected();
        default:
          return undefined;
      }
    },
    connected(call) {
      const now = state();
      const isKnown = now === 'closed' || (now === 'usable' && isAsked);
      return isKnown ? undefined : untilConnected(connection, { asking: askOnce(), mustWait: !isAsked }, call);
    },
  };
}

interface Question {
  /** Resolves to why the client never can send, or to undefined. */
  readonly asking: Promise<NotSent | undefined>;
  /** Whether the answer is waited for although the client is connected. */
  readonly mustWait: boolean;
}

/** Waits for a client that is connecting, until it is, or the reason is known why it never will be. */
async function untilConnected(
  { client, state }: Connection,
  { asking, mustWait }: Question,
  call: StoreCall,
): Promise<StoreCall | NotSent> {
  const { clock, budgetMs, signal } = call;
  const end = clock.monotonic() + budgetMs;
  const leftMs = () => end - clock.monotonic();
  let refused: NotSent | undefined;
  let waitsForAnswer = mustWait;
  void asking.then((answer) => {
    refused ??= answer;
    waitsForAnswer = false;
  });
  const waits = () => (state() === 'away' || waitsForAnswer) && !refused && !signal.aborted;
  const onError = (error: unknown) => {
    refused ??= finalRefusal(error);
  };
  client.on?.('error', onError);
  while (waits() && leftMs() > 0) await pause(LOOK_MS, clock, signal);
  client.off?.('error', onError);
  if (refused) return refused;
  const leftOverMs = leftMs();
  return state() === 'away' || leftOverMs <= 0 ? notConnected() : { ...call, budgetMs: leftOverMs };
}

function notConnected(): NotSent {
  return new NotSent(
    'UNAVAILABLE',
    'the client is not connected to Redis: start Redis, or check its address and the network',
    true,
  );
}

/** Warns of a client of node-redis whose first lost connection ends the process. */
export function warnOfNoListener(client: Emitter): void {
  if (client.listenerCount?.('error') !== 0) return;
  warn(
    "the client of node-redis has no listener for 'error': a connection that breaks, as in a restart of Redis, will end this process; add client.on('error', …) where the client is made",
  );
}

const AWAY: ReadonlySet<string | undefined> = new Set(['connecting', 'connect', 'close', 'reconnecting']);

/**
 * Returns the state of a client of ioredis. In status `wait` the client is usable, because it connects at its first
 * command.
 */
export function ioredisState({ status }: { readonly status?: string | undefined }): State {
  if (status === 'end') return 'closed';
  return AWAY.has(status) ? 'away' : 'usable';
}

export function nodeRedisState(client: { readonly isOpen?: boolean; readonly isReady?: boolean }): State {
  if (client.isOpen === false) return 'closed';
  // A client of sentinels counts as usable, because it looks for the master at its first command.
  return client.isReady === false && !('getMasterNode' in client) ? 'away' : 'usable';
}
