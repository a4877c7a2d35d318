import type { Random } from '../support/play/random.js';
import type { Host } from './host.js';
import type { Network, Service } from './network.js';
import type { Timeline } from './timeline.js';

/** When the connection of a client breaks, and for how long it stays away. */
const BREAKS_WITHIN_MS = 60_000;
const AWAY_MS = [700, 3_000, 8_000, 20_000];

/** The connection of the client on one host. */
export interface Connection {
  exchange<T>(service: Service<T>): Promise<T>;
}

/**
 * A connection that breaks now and then, of a client that keeps what it cannot send, as ioredis does by default. When
 * the connection is back, the client sends what it has kept, and sends again what was not answered before the break. It
 * does not know which calls have given up meanwhile.
 */
export function queueingConnection(host: Host, net: Network, time: Timeline, chance: Random): Connection {
  /** Sends a request, or sends it again, for each request without an answer. */
  const unanswered = new Set<{ send(): void; forget(): void }>();
  let breaks = 0;
  let isClear = false;

  const breakOff = () => {
    if (isClear) return;
    breaks++;
    for (const request of unanswered) request.forget();
    host.after(chance.pick(AWAY_MS), () => {
      if (isClear) return;
      breaks--;
      if (breaks === 0) sendAll();
    });
  };
  const sendAll = () => {
    for (const request of unanswered) request.send();
  };
  net.onClear(() => {
    isClear = true;
    breaks = 0;
    sendAll();
  });
  for (let n = chance.whole(1, 3); n > 0; n--) time.after(chance.whole(0, BREAKS_WITHIN_MS), breakOff);

  return {
    exchange: (service) =>
      new Promise((resolve, reject) => {
        let sendings = 0;
        const request = {
          send() {
            const mine = ++sendings;
            const settle = (end: () => void) => {
              // The answer to an earlier sending was lost in the break.
              if (mine !== sendings) return;
              unanswered.delete(request);
              end();
            };
            net.exchange(host, service).then(
              (answer) => settle(() => resolve(answer)),
              (error) => settle(() => reject(error)),
            );
          },
          forget() {
            sendings++;
          },
        };
        unanswered.add(request);
        if (breaks === 0) request.send();
      }),
  };
}
