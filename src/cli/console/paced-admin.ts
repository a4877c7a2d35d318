import type { LockAdmin, LockInfo } from '../../admin/lock-admin.js';
import type { Clock } from '../../index.js';
import type { Job } from '../../operate/troubles.js';
import { jobLedger } from './job-ledger.js';

/** How long a list of all locks is shown before the store is read again. */
export const REFRESH_MS = 5_000;

/** The verbs of a console. All open pages share one list, whose locks are judged. */
export interface PacedAdmin extends LockAdmin {
  list(): Promise<Job[]>;
  /** What has changed after a revision, as JSON: see `JobLedger`. */
  changesAfter(revision: number): Promise<string>;
  /** Reads a lock that a page has changed, and puts it into the list. Never rejects. */
  refresh(name: string): Promise<void>;
}

/** Reads the whole store once for all pages, and again no sooner than `REFRESH_MS` after that read. */
export function pacedAdmin(admin: LockAdmin, clock: Clock): PacedAdmin {
  const ledger = jobLedger();
  let shown: Promise<LockInfo[]> | undefined;
  /** When the store was last read; NaN while it is being read. */
  let readMono = Number.NaN;
  const read = async () => {
    readMono = Number.NaN;
    try {
      return await admin.list();
    } finally {
      readMono = clock.monotonic();
    }
  };
  /** Brings the ledger up to date. */
  const look = async () => {
    if (shown === undefined || clock.monotonic() - readMono >= REFRESH_MS) shown = read();
    ledger.put(await shown);
    return ledger;
  };
  return {
    ...admin,
    list: async () => (await look()).jobs(),
    changesAfter: async (revision) => (await look()).changesAfter(revision),
    async refresh(name) {
      try {
        const lock = await admin.get(name);
        shown = shown && withLock(shown, name, lock);
        await shown;
      } catch {
        // Ignore the error: the next read of the store shows the problem.
      }
    },
  };
}

async function withLock(list: Promise<LockInfo[]>, name: string, lock: LockInfo | undefined): Promise<LockInfo[]> {
  const others = (await list).filter((one) => one.name !== name);
  return [...others, ...(lock ? [lock] : [])].sort((a, b) => (a.name < b.name ? -1 : 1));
}
