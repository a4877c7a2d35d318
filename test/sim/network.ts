import type { Random } from '../support/play/random.js';
import type { Host } from './host.js';
import type { Weather } from './regime.js';
import type { Timeline } from './timeline.js';

export interface Network {
  /**
   * Sends a request to the server and brings its response back. Either may be late or lost, and a request may arrive
   * twice.
   *
   * @param signal gives up the request, if the client can do that
   */
  exchange<T>(host: Host, service: Service<T>, signal?: AbortSignal): Promise<T>;
  /** Loses all messages under way. From now on nothing goes wrong. */
  clearUp(): void;
  /** Calls back when nothing goes wrong any more. */
  onClear(happen: () => void): void;
}

/** How the server handles a request, and how it fails. */
export interface Service<T> {
  serve(isCopy: boolean): T;
  /** The error if the server has not applied the request. */
  refusal(): Error;
  /** The error if the server may have applied the request. */
  breakdown(): Error;
}

const CLEAR: Weather = { delayMs: 5, loseRequest: 0, loseResponse: 0, duplicate: 0, fail: 0, late: 0, slow: 0 };

/**
 * Who doubles a request. The network delivers a late copy that nobody gets an answer to. The client sends the request
 * again over another connection and takes the last answer.
 */
export type Doubled = 'by the network' | 'by the client';

const LATEST_COPY_MS = 10_000;
const RESENT_MS = 500;
const SLOW_MS = { from: 500, to: 3_500 };

export function network(time: Timeline, chance: Random, first: Weather, doubled: Doubled): Network {
  let weather = first;
  const followers: (() => void)[] = [];
  const delay = () => weather.delayMs * chance.pick([0.3, 0.5, 0.8, 1, 1.5, 3]);
  const slowly = () => (chance.chance(weather.slow) ? chance.whole(SLOW_MS.from, SLOW_MS.to) : 0);
  const late = () => (chance.chance(weather.late) ? chance.whole(1_000, 40_000) : 0);

  return {
    exchange: <T>(host: Host, { serve, refusal, breakdown }: Service<T>, signal?: AbortSignal) =>
      new Promise<T>((resolve, reject) => {
        const onAbort = () => reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
        if (signal?.aborted) return onAbort();
        signal?.addEventListener('abort', onAbort);
        const sentIn = weather;
        const answer = (settle: () => void) =>
          host.after(slowly() + delay() + late(), () => {
            if (sentIn !== weather) return;
            signal?.removeEventListener('abort', onAbort);
            settle();
          });
        if (chance.chance(weather.fail / 2)) return void answer(() => reject(refusal()));
        const send = (ms: number, isCopy: boolean, isAnswered: boolean) => {
          if (chance.chance(weather.loseRequest)) return;
          time.after(ms, () => {
            if (sentIn !== weather) return;
            const response = serve(isCopy);
            if (!isAnswered || chance.chance(weather.loseResponse)) return;
            if (chance.chance(weather.fail)) answer(() => reject(breakdown()));
            else answer(() => resolve(response));
          });
        };
        const firstMs = slowly() + delay() + late();
        const isDoubled = chance.chance(weather.duplicate);
        const isResent = isDoubled && doubled === 'by the client';
        send(firstMs, false, !isResent);
        if (isResent) send(firstMs + chance.whole(0, RESENT_MS), false, true);
        else if (isDoubled) send(delay() + chance.whole(0, LATEST_COPY_MS), true, false);
      }),
    clearUp() {
      weather = CLEAR;
      for (const happen of followers) happen();
    },
    onClear(happen) {
      followers.push(happen);
    },
  };
}
