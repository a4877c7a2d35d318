import type { StoreCall } from '../../core/ports/lock-store.js';
import { pause } from '../../core/values/clock.js';
import { NotSent, refusedLogin } from './errors.js';
import type { IORedisClient, NodeRedisClient } from './redis.js';
import type { RedisClient } from './send.js';

/*
 * What clients tell of their connection. No script of a lock is handed to one that has none: it would refuse it, or
 * keep it and send it when nobody waits for it any more.
 */

/** `closed` until somebody connects it; `away` while it connects by itself. */
type State = 'closed' | 'away' | 'usable';

/** How often a client that connects is looked at. */
const LOOK_MS = 10;

/**
 * What a client tells of its connection, as a {@link RedisClient} does.
 *
 * @param ask sends a script that touches no lock. A client whose login is refused connects again and again, and tells
 * the reason to what waits to be sent.
 */
export function stateOf(
  state: () => State,
  ask: (script: string) => Promise<unknown>,
): Required<Pick<RedisClient, 'notSent' | 'connected'>> {
  let asked: Promise<NotSent | undefined> | undefined;
  const askOnce = () => {
    asked ??= ask('return 1').then(() => undefined, refusedLogin);
    void asked.then(() => {
      asked = undefined;
    });
    return asked;
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
    connected: (call) => (state() === 'away' ? untilConnected(state, askOnce(), call) : undefined),
  };
}

async function untilConnected(
  state: () => State,
  asked: Promise<NotSent | undefined>,
  call: StoreCall,
): Promise<StoreCall | NotSent> {
  const { clock, budgetMs, signal } = call;
  const end = clock.monotonic() + budgetMs;
  const leftMs = () => end - clock.monotonic();
  let refused: NotSent | undefined;
  void asked.then((answer) => {
    refused = answer;
  });
  while (state() === 'away' && !refused && leftMs() > 0 && !signal.aborted) await pause(LOOK_MS, clock, signal);
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

const AWAY: ReadonlySet<string | undefined> = new Set(['connecting', 'connect', 'close', 'reconnecting']);

/** One that `wait`s connects when it is asked. */
export function ioredisState({ status }: IORedisClient): State {
  if (status === 'end') return 'closed';
  return AWAY.has(status) ? 'away' : 'usable';
}

export function nodeRedisState(client: NodeRedisClient): State {
  if (client.isOpen === false) return 'closed';
  // A client of sentinels looks for the master when it is asked.
  return client.isReady === false && !('getMasterNode' in client) ? 'away' : 'usable';
}
