import { bug, type ContractBug, STORE } from './contract-bug.js';

export const LEASE_BUGS: readonly ContractBug[] = [
  bug('shortens a lease', 'extend never shortens a lease', [
    STORE,
    'Math.max(record.lockUntil ?? 0, wall + leaseMs)',
    'wall + leaseMs',
  ]),
  bug('does not extend', 'extend moves the end of the lease to now + leaseMs', [
    STORE,
    'Math.max(record.lockUntil ?? 0, wall + leaseMs)',
    'record.lockUntil',
  ]),
  bug('adds to the end of a lease', 'extend moves the end of the lease to now + leaseMs', [
    STORE,
    'Math.max(record.lockUntil ?? 0, wall + leaseMs)',
    'record.lockUntil + leaseMs',
  ]),
  bug('does not store an extension', 'others see the extended end', [
    STORE,
    'records.set(lease.name, { ...record, lockUntil });',
    '',
  ]),
  bug('creates a record for a lease that is lost', 'F37 extend of a record that is not there leaves none', [
    STORE,
    "if (!record) return { status: 'lost' };",
    "if (!records.has(lease.name)) records.set(lease.name, { ...lease, state: 'held' }); if (!record) return { status: 'lost' };",
  ]),
  bug('extends for anybody', 'row 25: extend after a takeover is lost and leaves the successor alone', [
    STORE,
    'const record = heldBy(lease);',
    "const record = [records.get(lease.name)].find((r) => r?.state === 'held');",
  ]),
  bug('takes the start of a grant for its identity', 'F61 extend after a force release is lost', [
    STORE,
    'const record = heldBy(lease);',
    "const record = [records.get(lease.name)].find((r) => r?.state !== 'released' && r?.lockedAt === lease.lockedAtMs);",
  ]),
  bug('extends after the release', 'F36 extend after the own release is lost and locks nothing', [
    STORE,
    'const record = heldBy(lease);',
    'const record = [records.get(lease.name)].find((r) => r?.attemptId === lease.attemptId);',
  ]),
  bug(
    're-locks by extending',
    'F36 extend after the own release is lost and locks nothing',
    [
      STORE,
      'const record = heldBy(lease);',
      'const record = [records.get(lease.name)].find((r) => r?.attemptId === lease.attemptId);',
    ],
    [STORE, '{ ...record, lockUntil }', "{ ...record, state: 'held', lockUntil }"],
  ),
  bug('does not extend after expiry', 'extend late, while nobody took over, is extended', [
    STORE,
    'const record = heldBy(lease);',
    'const record = [heldBy(lease)].find((r) => r && r.lockUntil > clock.now());',
  ]),
  bug('releases for anybody', 'F51 row 5: release after a takeover is lost and leaves the successor its lock', [
    STORE,
    'if (heldBy(lease))',
    'if (records.has(lease.name))',
  ]),
  bug('releases by lockedBy alone', 'release by a foreign attempt is lost and leaves the holder its lock', [
    STORE,
    'if (heldBy(lease))',
    "if (record.state === 'held')",
  ]),
  bug('creates a record by releasing', 'release of a record that is not there leaves none', [
    STORE,
    'if (heldBy(lease))',
    'if (!records.has(lease.name) || heldBy(lease))',
  ]),
  bug('does not release after expiry', 'F58 release after expiry, while nobody took over, is released', [
    STORE,
    'if (heldBy(lease))',
    'if (heldBy(lease) && record.lockUntil > clock.now())',
  ]),
  bug('deletes the record on release', 'F52 a release keeps the record and tells how the run ended', [
    STORE,
    'records.set(lease.name, { ...record, ...releaseFields(lease, completion, Math.round(clock.now())) });',
    'records.delete(lease.name);',
  ]),
  bug('does not free the lock', 'release frees the lock at once', [
    'core/record/transition.ts#releaseFields',
    '{ lockUntil: releasedAt, releasedAt }',
    '{ lockUntil: lease.lockUntilMs, releasedAt }',
  ]),
  bug(
    'waits for the clock of the host that released',
    'a lock released by a host whose clock is an hour ahead is free at once',
    ['core/record/refusal.ts#isGivenBack', "(state === 'released' && lockUntil === releasedAt)", 'false'],
  ),
  bug(
    'waits until its own clock has reached a release',
    'a lock given back at an instant that every clock has yet to reach is free',
    ['core/record/refusal.ts#isGivenBack', "(state === 'released' && lockUntil === releasedAt)", 'false'],
  ),
  bug('calls a replayed release lost', 'F53 release replayed is released again', [
    STORE,
    "return isReplay || hasRun(record, lease.fencingToken) ? 'released' : 'lost';",
    "return 'lost';",
  ]),
  bug(
    'forgets a release once a successor came',
    'F53 release replayed while a successor runs is released, and leaves it alone',
    [STORE, '|| hasRun(record, lease.fencingToken)', ''],
  ),
  bug('calls every release released', 'F51 row 5: release after a takeover is lost and leaves the successor its lock', [
    STORE,
    "return isReplay || hasRun(record, lease.fencingToken) ? 'released' : 'lost';",
    "return 'released';",
  ]),
  bug('takes the row of a crash for a release', 'F51 release after a successor has come and gone is lost', [
    'core/record/run-ring.ts#hasRun',
    "&& run.status !== 'crashed'",
    '',
  ]),
  bug('writes a replayed release again', 'F53 release replayed writes nothing', [
    STORE,
    'if (heldBy(lease))',
    'if (record.attemptId === lease.attemptId)',
  ]),
  bug('ignores lockAtLeastFor', 'row 4: a run that succeeds holds the lock at least so long after its start', [
    'core/record/transition.ts#releaseFields',
    'lockAtLeastForMs === 0 ? 0 : lease.lockedAtMs + lockAtLeastForMs',
    '0',
  ]),
  bug('ignores the hold of a failed run', 'row 30: a failed run can be told to hold the lock as well', [
    'core/record/transition.ts#releaseFields',
    'lockAtLeastForMs === 0 ?',
    "lockAtLeastForMs === 0 || result === 'failed' ?",
  ]),
  bug(
    'counts lockAtLeastFor from the release',
    'row 4: a run that succeeds holds the lock at least so long after its start',
    ['core/record/transition.ts#releaseFields', 'lease.lockedAtMs + lockAtLeastForMs', 'nowMs + lockAtLeastForMs'],
  ),
  bug('lets a hold end before the release', 'F52 a release keeps the record and tells how the run ended', [
    'core/record/transition.ts#releaseFields',
    '{ lockUntil: releasedAt, releasedAt }',
    '{ lockUntil: lease.lockedAtMs + lockAtLeastForMs, releasedAt }',
  ]),
  bug('calls a hold locked', 'row 4: a run that succeeds holds the lock at least so long after its start', [
    'core/record/refusal.ts#judgeRefusal',
    "state === 'released' ? 'lock-at-least-for' : 'locked'",
    "'locked'",
  ]),
  bug('never ends a hold', 'a hold that is over frees the lock', [
    'core/record/refusal.ts#judgeRefusal',
    '|| isExpired(lockUntil)',
    "|| (state !== 'released' && isExpired(lockUntil))",
  ]),
];
