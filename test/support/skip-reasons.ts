import type { RefusalReason, SkipReason } from 'single-execution';

const REFUSED: Readonly<Record<RefusalReason, true>> = {
  locked: true,
  'lock-at-least-for': true,
  'already-executed': true,
  'stale-tick': true,
  paused: true,
};
const SKIPPED: Readonly<Record<SkipReason, true>> = { ...REFUSED, 'store-unavailable': true, 'off-schedule': true };

/** Every reason of a store. If a reason is missing above, this file does not compile. Tests run over this list. */
export const REFUSAL_REASONS = Object.keys(REFUSED) as readonly RefusalReason[];
/** Every reason of a skip. */
export const SKIP_REASONS = Object.keys(SKIPPED) as readonly SkipReason[];
