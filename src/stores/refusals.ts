import type { StoreCall } from '../core/ports/lock-store.js';
import type { LockStoreError } from '../core/public/errors.js';
import type { Item } from '../core/record/lock-record.js';
import { jittered, pause, type Signal } from '../core/values/clock.js';
import { refused } from './storage-answer.js';

/** The bound of the first pause; it doubles with each refusal. */
const FIRST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 250;
/** Fewer refusals prove nothing: at the end of a call a write is refused because it comes late. */
const PROOF = 3;

/**
 * Paces a write that is refused although nobody has written meanwhile: reads come from a replica that lags, or the
 * storage cannot compare the version. Without a pause, a storage that needs no I/O would never let the process do
 * anything else. A refusal after somebody else's write needs no pause: the next read shows what they wrote.
 */
export function pacedRefusals(endMono: number, { clock }: StoreCall) {
  let unexplained = 0;
  let before: string | undefined;
  return {
    /**
     * @param seen the record and the version on which the refused write was decided
     * @throws LockStoreError if the call ends before another try, and enough tries were refused to prove the mistake
     */
    async pauseAfter(
      seen: { readonly item: Item | undefined; readonly version: unknown },
      signal: Signal,
    ): Promise<void> {
      const text = String(JSON.stringify([seen.item, seen.version], bigintAsText));
      unexplained = text === before ? unexplained + 1 : 0;
      before = text;
      if (unexplained === 0) return;
      const pauseMs = jittered(0, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** unexplained));
      if (unexplained >= PROOF && clock.monotonic() + pauseMs >= endMono) throw refusedUnchanged();
      await pause(pauseMs, clock, signal);
    },
  };
}

const bigintAsText = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);

function refusedUnchanged(): LockStoreError {
  return refused(
    'the storage refuses the write again and again, although the record is as it was read: reads come from a replica that lags, a policy, rule or trigger takes the write back, or somebody has changed the version of the record by hand',
  );
}
