import { warn } from '../../core/observers/operator-log.js';
import { type Clock, jittered, pause, type Signal } from '../../core/values/clock.js';
import type { FoundRow } from './sql-answer.js';

/** How long an older version is read again before it is believed. */
const LAG_MS = 2_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
/** How many locks are remembered. */
const MOST_NAMES = 1_000;

/** What this process knows of the versions of rows. */
export interface NewestVersions {
  /** Remembers a version that this process has written. */
  note(key: string, version: number): void;
  /**
   * Reads a row. A row that is older than one that this process has seen or written comes from a replica that lags: it
   * is read again. If it stays older for two seconds, it is believed, with a warning: somebody has restored or deleted
   * it.
   */
  read(
    key: string,
    call: { readonly clock: Clock; readonly signal: Signal },
    ask: () => Promise<FoundRow>,
  ): Promise<FoundRow>;
}

/** Makes what one store remembers: the newest version of each of the locks that it used last. */
export function newestVersions(): NewestVersions {
  const newest = new Map<string, number>();
  const note = (key: string, version: number) => {
    newest.delete(key);
    newest.set(key, version);
    const [oldest] = newest.keys();
    if (newest.size > MOST_NAMES && oldest !== undefined) newest.delete(oldest);
  };
  return {
    note,
    async read(key, { clock, signal }, ask) {
      const endMono = clock.monotonic() + LAG_MS;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        const found = await ask();
        const { version = 0 } = found;
        const isOlder = version < (newest.get(key) ?? 0);
        const isBelieved = clock.monotonic() + pauseMs >= endMono;
        if (isOlder && !isBelieved && !signal.aborted) {
          await pause(jittered(pauseMs / 2, pauseMs), clock, signal);
          continue;
        }
        if (isOlder && isBelieved) warn(`lock "${key}": ${OLDER}`);
        if (!isOlder || isBelieved) note(key, version);
        return found;
      }
    },
  };
}

const OLDER =
  'its row is older than one that this process has read or written, and stays so; it counts from now on. If it was not restored or deleted by hand, reads come from a replica: connect to the primary';
