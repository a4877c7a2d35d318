import { compareAndSwapStore, type Storage, type StoredRecord } from 'single-execution/store';
import { type Breaks, heardOf, type Request, serveBroken, storeOfEachCall } from './broken.js';
import type { Host } from './host.js';
import { type Applied, type Item, LOCK, type LockServer } from './lock-server.js';
import type { Network, Service } from './network.js';
import type { Timeline } from './timeline.js';

interface Row {
  readonly record: StoredRecord;
  readonly version: number;
}

/** The error if the database refused a statement before it ran. */
class Refusal extends Error {}

/** What a write does, if it carries the end of its call. A cancel writes on behalf of an acquire, and carries none. */
function wordOf({ verb }: Request, before: StoredRecord | undefined, to: StoredRecord): string {
  if (verb === 'extend') return 'extended';
  return verb === 'acquire' && to['attemptId'] !== before?.['attemptId'] ? 'granted' : verb;
}

/** A table as Postgres and SQLite keep it: one row for each key, with a version that every write raises. */
export function sqlServer(
  time: Timeline,
  net: Network,
  onApplied: (applied: Applied) => void,
  breaks: Breaks = {},
): LockServer {
  const rows = new Map<string, Row>();
  const item = (): Item | undefined => rows.get(LOCK)?.record;
  /** The record that a bug reads and changes. Its version stays. */
  const record = {
    get: item,
    set: (to: Item) => rows.set(LOCK, { version: rows.get(LOCK)?.version ?? 1, record: to as StoredRecord }),
  };
  const served = <T>(request: Request, key: string, serve: () => T): T =>
    key === LOCK ? serveBroken(breaks, request, record, serve) : serve();

  const storageOf = (host: Host, request: Request): Storage<number> => {
    const exchange = async <T>(serve: (isCopy: boolean) => T): Promise<T> => {
      const service: Service<T> = {
        serve,
        refusal: () => new Refusal('the database system is starting up'),
        breakdown: () => new Error('Connection terminated unexpectedly'),
      };
      return heardOf(request, net.exchange(host, service), (answer) => answer === false);
    };
    const storage: Storage<number> = {
      read: (key) => exchange(() => ({ ...served(request, key, () => rows.get(key)), nowMs: Math.floor(time.now()) })),
      write(key, to, version, _, notAfterMs = Number.POSITIVE_INFINITY) {
        const atMs = time.now();
        return exchange((isCopy) => {
          const before = rows.get(key);
          if (before?.version !== version || time.now() >= notAfterMs) return false;
          served(request, key, () => rows.set(key, { record: to, version: (version ?? 0) + 1 }));
          const by = (request.asked[0] as { readonly attemptId?: string }).attemptId;
          const asked = { word: wordOf(request, before?.record, to), atMs, knowsTime: true };
          if (key === LOCK) onApplied({ host, before: before?.record, after: item() ?? {}, by, isCopy, asked });
          return true;
        });
      },
      isUnsent: (error) => error instanceof Refusal,
    };
    return breaks.storage?.(storage, request) ?? storage;
  };
  const storeOf = (host: Host) =>
    storeOfEachCall(host, (request) => compareAndSwapStore({ storage: storageOf(host, request) }));
  return { storeOf, adminOf: storeOf, item };
}
