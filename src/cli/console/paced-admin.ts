import type { LockAdmin, LockInfo } from '../../admin/lock-admin.js';
import type { Clock } from '../../index.js';

/** How long a list of all locks is shown before the store is read again. */
export const REFRESH_MS = 5_000;

/** The verbs of a console, whose list is one for all pages that are open. */
export interface PacedAdmin extends LockAdmin {
  /** Reads one lock again and puts it into the list: it was changed by a page. Never rejects. */
  refresh(name: string): Promise<void>;
}

/** Reads the whole store once for all who ask, and again no sooner than `REFRESH_MS` after that. */
export function pacedAdmin(admin: LockAdmin, clock: Clock): PacedAdmin {
  let shown: Promise<LockInfo[]> | undefined;
  /** Not a number while the store is being read. */
  let readMono = Number.NaN;
  const read = async () => {
    readMono = Number.NaN;
    try {
      return await admin.list();
    } finally {
      readMono = clock.monotonic();
    }
  };
  return {
    ...admin,
    list() {
      if (shown === undefined || clock.monotonic() - readMono >= REFRESH_MS) shown = read();
      return shown;
    },
    async refresh(name) {
      try {
        const lock = await admin.get(name);
        shown = shown && withLock(shown, name, lock);
        await shown;
      } catch {
        // The list shows what is wrong as soon as the store is read again.
      }
    },
  };
}

async function withLock(list: Promise<LockInfo[]>, name: string, lock: LockInfo | undefined): Promise<LockInfo[]> {
  const others = (await list).filter((one) => one.name !== name);
  return [...others, ...(lock ? [lock] : [])].sort((a, b) => (a.name < b.name ? -1 : 1));
}
