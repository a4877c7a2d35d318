import { type Mutant, mutantsOf } from './mutant.js';

const REQUESTS = 'stores/dynamodb/requests.ts';
const ACQUIRE = 'stores/dynamodb/acquire.ts';
const STORE = 'stores/dynamodb/dynamodb.ts';
const TIME = 'stores/dynamodb/response-time.ts';
const SAME_ATTEMPT = "    unchangedSince('attemptId', ':oldAttempt', attemptId),\n";
const OLD_ATTEMPT = "    ':oldAttempt': attemptId,\n";

const mutant = mutantsOf('dynamodb');

export const DYNAMODB_MUTANTS: readonly Mutant[] = [
  mutant('a held lock is free once its lease is over by the caller’s clock', 'skewed', 4, [
    REQUESTS,
    "(#state <> :held AND lockUntil <= :now))'",
    "lockUntil <= :now) AND :held = :held'",
  ]),
  mutant('the lock of a dead holder is an error, for ever', 'synchronised', 3, [
    ACQUIRE,
    'return { ...judgement, clockUnverified: time.serverMs === undefined && !isGivenBack(judgement.record) };',
    'return failed(unexpected(claim.name));',
  ]),
  mutant('a release that fails replaces what the task gave', 'synchronised', 49, [
    'core/run/guarded-run.ts',
    "tell({ type: 'release-failed', error: toStoreError(error, 'release', order.name) });\n    return 'unknown';",
    'throw error;',
  ]),
  mutant('a failure is swallowed', 'synchronised', 1, [
    'core/run/task.ts',
    '    throw settled.error;\n',
    '    return undefined as never;\n',
  ]),
  mutant('a run that failed is not released', 'synchronised', 1, [
    'core/run/guarded-run.ts',
    'const status = await release({\n',
    "const status = failed ? 'released' : await release({\n",
  ]),
  mutant('a grant that came too late is not given back', 'skewed', 1, [
    'core/run/guarded-run.ts',
    "    await release({ result: 'failed', lockAtLeastForMs: 0, markTickDone: false, durationMs: 0, error: refusal.code });\n",
    '',
  ]),
  mutant('a success marks the ticks of a day', 'synchronised', 1, [
    'core/record/transition.ts',
    'Math.max(tickMs, doneTickMs) : undefined',
    'Math.max(tickMs, doneTickMs) + 86_400_000 : undefined',
  ]),
  mutant('a release forgets lockAtLeastFor', 'synchronised', 1, [
    'core/record/transition.ts',
    'lockAtLeastForMs === 0 ? 0 : lease.lockedAtMs + lockAtLeastForMs;',
    '0 * lockAtLeastForMs;',
  ]),
  mutant('an operator frees whatever lock there is', 'hostile', 28, [
    REQUESTS,
    "'fencingToken = :seenToken AND #state = :held'",
    "':seenToken = :seenToken AND #state = :held'",
  ]),
  mutant('an operator deletes a lock that has been used since it was seen', 'hostile', 33, [
    'core/record/deletion.ts',
    "if (token !== fencingToken) return 'changed';",
    "if (token === 'another') return 'changed';",
  ]),
  mutant('an operator deletes a lock that is held', 'hostile', 26, [
    'core/record/deletion.ts',
    "if (state !== 'held') return 'open';",
    "if (state !== 'held' || lockUntil !== 0) return 'open';",
  ]),
  mutant('a delete does not compare what it was judged by', 'hostile', 60, [
    REQUESTS,
    "    ConditionExpression: unchanged.join(' AND '),\n    ExpressionAttributeNames: names,\n    ExpressionAttributeValues: { ...fieldValues, ...old },",
    "    ConditionExpression: 'attribute_exists(attemptId)',\n    ExpressionAttributeNames: names,\n    ExpressionAttributeValues: { ...fieldValues, ...(unchanged.length === 0 && old) },",
  ]),
  mutant('a delete drops the fencing token', 'hostile', 21, [
    'core/record/deletion.ts',
    '...defined({ fencingToken, ',
    '...defined({ ...(fencingToken === -1 && { fencingToken }), ',
  ]),
  mutant('an acquire takes whatever there is', 'synchronised', 1, [
    REQUESTS,
    '[FREE, NEW_ATTEMPT, NOT_BARRED, NOT_PAUSED], {',
    "[NEW_ATTEMPT, NOT_BARRED, NOT_PAUSED, ':held = :held'], {",
  ]),
  mutant('expiry is judged by the caller’s clock', 'skewed', 11, [
    ACQUIRE,
    'time.serverMs === undefined ? lockUntil + call.maxClockSkewMs <= now : lockUntil <= time.serverMs',
    'lockUntil <= now',
  ]),
  mutant('expiry is judged by a Date header that is rounded up', 'stale', 28, [
    ACQUIRE,
    ': lockUntil <= time.serverMs',
    ': lockUntil <= time.serverMs + 3_000',
  ]),
  mutant(
    'a takeover does not look whether the lease was renewed, and its holder is careless',
    'stale',
    471,
    [REQUESTS, `${SAME_ATTEMPT}    unchangedSince('lockUntil', ':oldUntil', lockUntil),\n`, SAME_ATTEMPT],
    [REQUESTS, `${OLD_ATTEMPT}    ':oldUntil': lockUntil,\n`, OLD_ATTEMPT],
    ['core/run/hold.ts', 'return Math.max(200, leaseMs / 100);', 'return -4_000;'],
  ),
  mutant(
    'a takeover does not look whose lock it is',
    'hostile',
    200,
    [REQUESTS, `${SAME_ATTEMPT}    unchangedSince('lockUntil', ':oldUntil', lockUntil),\n`, ''],
    [REQUESTS, `${OLD_ATTEMPT}    ':oldUntil': lockUntil,\n`, ''],
  ),
  mutant('the holder asks its own clock alone', 'skewed', 4, [
    TIME,
    'serverMs === undefined ? {} :',
    'serverMs !== -1 ? {} :',
  ]),
  mutant('the holder trusts the Date header to the millisecond', 'stale', 424, [
    TIME,
    'const SLOP_MS = 2_000;',
    'const SLOP_MS = -2_000;',
  ]),
  mutant('a lease ends for its holder when it ends for others', 'synchronised', 15, [
    'core/run/hold.ts',
    'return Math.max(200, leaseMs / 100);',
    'return -4_000;',
  ]),
  mutant(
    'the deadline does not move with the server’s clock',
    'skewed',
    4,
    ['core/run/hold.ts', 'Math.min(endMono, capMono) - guard', 'endMono - guard'],
    ['core/run/hold.ts', ' || isPast(capMono, capSent)', ''],
  ),
  mutant('an extension that went unanswered counts', 'synchronised', 95, [
    'core/run/extender.ts',
    '      const result = await policy.store.extend(',
    '      const [deadlineMono, endMono, capMono] = [hold.deadlineMono, hold.endMono, hold.capMono].map((mono) => mono + 3 * leaseMs) as [number, number, number];\n      watch.renew({ ...hold, deadlineMono, endMono, capMono });\n      const result = await policy.store.extend(',
  ]),
  mutant(
    'a lost lease is renewed again',
    'hostile',
    173,
    [
      'core/run/extender.ts',
      "if (result.status === 'lost') watch.lose();",
      "if (result.status === 'lost') return 'extended';",
    ],
    [
      'core/run/extender.ts',
      'if (!hold || watch.isLost() || watch.isStopped() || closing.signal.aborted)',
      'if (!hold)',
    ],
    [
      'core/run/lease-watch.ts',
      "if (hold && isOver(hold, { monotonic, wall: clock.now() })) lose('its lease is over');",
      'if (!hold && monotonic < 0) lose("");',
    ],
  ),
  mutant('anybody may extend', 'hostile', 22, [REQUESTS, 'AND lockUntil < :until`,', 'OR (lockUntil < :until)`,']),
  mutant(
    'an extension may shorten',
    'hostile',
    10,
    [REQUESTS, ' AND lockUntil < :until`,', '`,'],
    [
      STORE,
      'const untilMs = wallInGrant(lease, sent.firstSentMono) + leaseMs + PAD_MS;',
      'const untilMs = Math.round(call.clock.now()) + leaseMs + PAD_MS;',
    ],
  ),
  mutant('anybody may release', 'synchronised', 12, [
    REQUESTS,
    "    ConditionExpression: OURS,\n    ExpressionAttributeNames: names,\n    ExpressionAttributeValues: { ...fieldValues, ':att': lease.attemptId, ':held': 'held' },",
    "    ConditionExpression: ':att = :att AND #state = :held',\n    ExpressionAttributeNames: names,\n    ExpressionAttributeValues: { ...fieldValues, ':att': lease.attemptId, ':held': 'held' },",
  ]),
  mutant('a released lock is free since 1970', 'synchronised', 1, [
    'core/record/transition.ts',
    '{ lockUntil: releasedAt, releasedAt }',
    '{ lockUntil: 1_000_000_000_000, releasedAt }',
  ]),
  mutant('lockAtLeastFor counts for nothing', 'synchronised', 29, [
    REQUESTS,
    "(#state <> :held AND lockUntil <= :now))'",
    "#state <> :held) AND :now = :now'",
  ]),
  mutant('an attempt whose answer was lost is not known again', 'synchronised', 2, [
    'core/record/refusal.ts',
    "if (item['attemptId'] === claim.attemptId && item['state'] === 'held') {",
    "if (claim.attemptId === '') {",
  ]),
  mutant(
    'a late copy of an acquire that has ended is granted',
    'synchronised',
    11,
    [REQUESTS, '[FREE, NEW_ATTEMPT, NOT_BARRED, NOT_PAUSED], {', '[FREE, NOT_BARRED, NOT_PAUSED], {'],
    [
      'core/record/transition.ts',
      '{ lockUntil: releasedAt, releasedAt }',
      '{ lockUntil: 1_000_000_000_000, releasedAt }',
    ],
  ),
  mutant('an attempt that may yet be applied is not cancelled', 'hostile', 207, [
    ACQUIRE,
    "if (verdict.kind !== 'granted' && ambiguous && !isDone) {",
    "if (verdict.kind !== 'granted' && ambiguous && claim.name === '') {",
  ]),
  mutant('a cancelled attempt is granted all the same', 'skewed', 367, [
    REQUESTS,
    "const NOT_BARRED = '(attribute_not_exists(barredAttempt) OR barredAttempt <> :att)';",
    "const NOT_BARRED = ':att = :att';",
  ]),
  mutant('the fencing token does not rise', 'synchronised', 1, [
    REQUESTS,
    "      ':one': 1,\n      ...defined({ ':tick'",
    "      ':one': 0,\n      ...defined({ ':tick'",
  ]),
  mutant(
    'the fencing token starts at the clock each time',
    'skewed',
    1,
    [REQUESTS, 'fencingToken = if_not_exists(fencingToken, :now) + :one${', 'fencingToken = :now + :one${'],
    [ACQUIRE, '(oldToken === undefined ? now : Number(String(oldToken))) + 1', 'now + 1 + 0 * Number(oldToken ?? 0)'],
  ),
  mutant('a done tick is granted again', 'synchronised', 1, [
    REQUESTS,
    "const TICK_OPEN = '(attribute_not_exists(doneTick) OR doneTick < :tick)';",
    "const TICK_OPEN = ':tick = :tick';",
  ]),
  mutant('an attempt for a done tick is cancelled all the same', 'synchronised', 4, [
    ACQUIRE,
    ' && ambiguous && !isDone) {',
    ' && ambiguous) {',
  ]),
  mutant('an attempt that was refused for whatever reason is not cancelled', 'skewed', 201, [
    ACQUIRE,
    "isDone = !answer.value.applied && doneReason(claim, answer.value.item?.['doneTick']) !== undefined;",
    'isDone = !answer.value.applied;',
  ]),
  mutant('a tick that is next is taken for one that is done', 'synchronised', 1, [
    'core/record/refusal.ts',
    'doneTick < tickMs)',
    'doneTick < tickMs - 8_000)',
  ]),
  mutant('with tickMark start a tick is not marked', 'synchronised', 2, [
    'core/record/transition.ts',
    'doneTick: markTickAtStart ? tickMs : undefined',
    'doneTick: markTickAtStart && tickMs === 0 ? tickMs : undefined',
  ]),
  mutant('a success does not mark its tick', 'synchronised', 5, [
    'core/record/transition.ts',
    'doneTick: markTickDone && tickMs !== undefined ? Math.max(tickMs, doneTickMs) : undefined',
    'doneTick: markTickDone && tickMs === 0 ? Math.max(tickMs, doneTickMs) : undefined',
  ]),
  mutant('a failed run marks its tick', 'synchronised', 3, [
    'core/run/guarded-run.ts',
    "markTickDone: !failed && policy.tickMark === 'success' && order.tickMs !== undefined,",
    "markTickDone: policy.tickMark === 'success' && order.tickMs !== undefined,",
  ]),
  mutant(
    'the deadline counts from an answer that took its time',
    'synchronised',
    15,
    ['core/run/hold.ts', 'endMono: firstSentMono + leaseMs,', 'endMono: firstSentMono + leaseMs + 6_000,'],
    [TIME, 'serverMs === undefined ? {} :', 'serverMs !== -1 ? {} :'],
  ),
  mutant('the run goes on when its lease is over', 'synchronised', 15, [
    'core/run/lease-watch.ts',
    "if (hold && isOver(hold, { monotonic, wall: clock.now() })) lose('its lease is over');",
    "if (!hold && monotonic < 0) lose('');",
  ]),
  mutant('a signal that is asked does not look at the clocks', 'suspended', 149, [
    'core/run/watched-signal.ts',
    '        look();\n',
    '',
  ]),
  mutant(
    'a suspended monotonic clock is believed',
    'suspended',
    36,
    ['core/run/hold.ts', ' || isPast(endMono, endSent)', ''],
    ['core/run/hold.ts', ' || isPast(capMono, capSent)', ''],
  ),
  mutant('a lock that was given back waits for the clock that gave it back', 'skewed', 2, [
    'core/record/refusal.ts',
    'isGivenBack(record) || isExpired(lockUntil)',
    "(state === 'forced' && isGivenBack(record)) || isExpired(lockUntil)",
  ]),
  mutant('a lock that was freed by force waits for the operator’s clock', 'hostile', 5, [
    'core/record/refusal.ts',
    "state === 'forced' || state === 'deleted' ||",
    "state === 'deleted' ||",
  ]),
  mutant('a lock that was deleted waits for the operator’s clock', 'hostile', 1, [
    'core/record/refusal.ts',
    "state === 'forced' || state === 'deleted' ||",
    "state === 'forced' ||",
  ]),
  mutant('a lock that is kept for lockAtLeastFor counts as given back', 'synchronised', 29, [
    'core/record/refusal.ts',
    "(state === 'released' && lockUntil === releasedAt)",
    "(state === 'released' && lockUntil !== releasedAt! + 0.5)",
  ]),
  mutant('a release drops the fence that its run took over from', 'skewed', 6, [
    'core/record/transition.ts',
    '? Math.max(nowMs, fenceMs) : nowMs;',
    '? nowMs : nowMs;',
  ]),
  mutant('a dead holder is waited for in vain', 'synchronised', 3, [
    ACQUIRE,
    "if (verdict.kind === 'expired') {",
    "if (verdict.kind === 'expired' && claim.name === '') {",
  ]),
  mutant('an answer is sure although another try is pending', 'synchronised', 318, [
    'core/request/try-loop.ts',
    'ambiguous: ambiguous || pending.size > 0',
    "ambiguous: ambiguous || ('error' in how && pending.size > 0)",
  ]),
  mutant('a call that has its answer goes on sending', 'synchronised', 57, [
    'core/request/try-loop.ts',
    '    const end = (how: { readonly value: T } | { readonly error: unknown }) => {\n      timer?.cancel();\n',
    '    const end = (how: { readonly value: T } | { readonly error: unknown }) => {\n',
  ]),
];
