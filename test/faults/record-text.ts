/** Who holds the locks that a case finds. */
export const ANOTHER = 'another';

const LONG_LEASE_MS = 30_000;

/**
 * The record of a lock in words: its state and by whom, whether its lease was lengthened, its tick is done, an older
 * one is open, an attempt is barred, it is paused.
 *
 * @param attempts those of the case's own
 */
export function recordText(item: Readonly<Record<string, unknown>>, attempts: ReadonlySet<string>): string {
  const { attemptId, state, lockedBy, lockedAt, lockUntil, doneTick, openTicks = ',', pausedUntil } = item;
  const barred = String(item['barredAttempt'] ?? item['barredAttempts'] ?? '');
  const isBarred =
    state !== 'forced' && [...attempts].some((attempt) => attempt !== attemptId && barred.includes(attempt));
  const isLong = state === 'held' && Number(lockUntil) - Number(lockedAt) > LONG_LEASE_MS;
  return [
    state === undefined ? 'no grant' : `${state}, of ${lockedBy === ANOTHER ? 'another' : 'ours'}`,
    ...(isLong ? ['longer'] : []),
    ...(doneTick === undefined ? [] : ['tick done']),
    ...(openTicks === ',' ? [] : ['older one open']),
    ...(isBarred ? ['barred'] : []),
    ...(pausedUntil === undefined ? [] : ['paused']),
  ].join(', ');
}
