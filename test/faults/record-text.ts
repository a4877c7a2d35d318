/** The holder of the locks that exist before a case. */
export const ANOTHER = 'another';

const LONG_LEASE_MS = 30_000;

/**
 * A lock's record in words: its state, whose it is, whether its lease was extended, whether its tick is done, whether
 * an older tick is open, whether an attempt is barred, whether it is paused.
 *
 * @param attempts the ids of the case's own attempts
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
