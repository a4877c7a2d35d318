import { bugsOf, type SimBug } from './sim-bug.js';

const bug = bugsOf('dynamodb');

export const DYNAMODB_BUGS: readonly SimBug[] = [
  bug('a held lock is free once its lease is over by the caller’s clock', 'skewed', 4, [
    'stores/dynamodb/requests.ts#FREE',
    "(#state <> :held AND lockUntil <= :now))'",
    "lockUntil <= :now) AND :held = :held'",
  ]),
  bug('the lock of a dead holder is an error, for ever', 'synchronised', 3, [
    'stores/dynamodb/acquire.ts#judge',
    'return { ...judgement, clockUnverified: time.serverMs === undefined && !isGivenBack(judgement.record) };',
    'return failed(unexpected(claim.name));',
  ]),
  bug('a release that fails replaces what the task gave', 'synchronised', 49, [
    'core/run/guarded-run.ts#releaseLease',
    "tell({ type: 'release-failed', error: toStoreError(error, 'release', order.name) }); return 'unknown';",
    'throw error;',
  ]),
  bug('a failure is swallowed', 'synchronised', 1, [
    'core/run/task.ts#conclude',
    'throw settled.error;',
    'return undefined as never;',
  ]),
  bug('a run that failed is not released', 'synchronised', 1, [
    'core/run/guarded-run.ts#runGuarded',
    'const status = await releaseLease(',
    "const status = 'error' in settled ? 'released' : await releaseLease(",
  ]),
  bug('a grant that came too late is not given back', 'skewed', 1, [
    'core/run/guarded-run.ts#runGuarded',
    'await releaseLease(lease, givenBack(refusal.code), invocation);',
    '',
  ]),
  bug('a success marks the ticks of a day', 'synchronised', 1, [
    'core/record/transition.ts#releaseFields',
    'Math.max(tickMs, doneTickMs) : undefined',
    'Math.max(tickMs, doneTickMs) + 86_400_000 : undefined',
  ]),
  bug('a release forgets lockAtLeastFor', 'synchronised', 1, [
    'core/record/transition.ts#releaseFields',
    'lockAtLeastForMs === 0 ? 0 : lease.lockedAtMs + lockAtLeastForMs;',
    '0 * lockAtLeastForMs;',
  ]),
  bug('an operator frees whatever lock there is', 'hostile', 28, [
    'stores/dynamodb/requests.ts#forceReleaseRequest',
    "'fencingToken = :seenToken AND #state = :held'",
    "':seenToken = :seenToken AND #state = :held'",
  ]),
  bug('an operator deletes a lock that has been used since it was seen', 'hostile', 33, [
    'core/record/deletion.ts#judgeDeletion',
    "if (token !== fencingToken) return 'changed';",
    "if (token === 'another') return 'changed';",
  ]),
  bug('an operator deletes a lock that is held', 'hostile', 26, [
    'core/record/deletion.ts#judgeDeletion',
    "if (state !== 'held') return 'open';",
    "if (state !== 'held' || lockUntil !== 0) return 'open';",
  ]),
  bug(
    'a delete does not compare what it was judged by',
    'hostile',
    60,
    ['stores/dynamodb/requests.ts#deleteRequest', "unchanged.join(' AND ')", "'attribute_exists(attemptId)'"],
    [
      'stores/dynamodb/requests.ts#deleteRequest',
      '{ ...fieldValues, ...old }',
      '{ ...fieldValues, ...(unchanged.length === 0 && old) }',
    ],
  ),
  bug('a delete drops the fencing token', 'hostile', 21, [
    'core/record/deletion.ts#deletedRecord',
    '...defined({ fencingToken,',
    '...defined({ ...(fencingToken === -1 && { fencingToken }),',
  ]),
  bug('an acquire takes whatever there is', 'synchronised', 1, [
    'stores/dynamodb/requests.ts#acquireRequest',
    '[FREE, NEW_ATTEMPT, NOT_BARRED, NOT_PAUSED], {',
    "[NEW_ATTEMPT, NOT_BARRED, NOT_PAUSED, ':held = :held'], {",
  ]),
  bug('expiry is judged by the caller’s clock', 'skewed', 11, [
    'stores/dynamodb/acquire.ts#judge',
    'time.serverMs === undefined ? lockUntil + call.maxClockSkewMs <= now : lockUntil <= time.serverMs',
    'lockUntil <= now',
  ]),
  bug('expiry is judged by a Date header that is rounded up', 'stale', 28, [
    'stores/dynamodb/acquire.ts#judge',
    ': lockUntil <= time.serverMs',
    ': lockUntil <= time.serverMs + 3_000',
  ]),
  bug(
    'a takeover does not look whether the lease was renewed, and its holder is careless',
    'stale',
    471,
    [
      'stores/dynamodb/requests.ts#takeoverRequest',
      "unchangedSince('attemptId', ':oldAttempt', attemptId), unchangedSince('lockUntil', ':oldUntil', lockUntil),",
      "unchangedSince('attemptId', ':oldAttempt', attemptId),",
    ],
    [
      'stores/dynamodb/requests.ts#takeoverRequest',
      "':oldAttempt': attemptId, ':oldUntil': lockUntil,",
      "':oldAttempt': attemptId,",
    ],
    ['core/run/hold.ts#guardMs', 'return Math.max(200, leaseMs / 100);', 'return -4_000;'],
  ),
  bug(
    'a takeover does not look whose lock it is',
    'hostile',
    200,
    [
      'stores/dynamodb/requests.ts#takeoverRequest',
      "unchangedSince('attemptId', ':oldAttempt', attemptId), unchangedSince('lockUntil', ':oldUntil', lockUntil),",
      '',
    ],
    ['stores/dynamodb/requests.ts#takeoverRequest', "':oldAttempt': attemptId, ':oldUntil': lockUntil,", ''],
  ),
  bug('the holder asks its own clock alone', 'skewed', 4, [
    'stores/dynamodb/response-time.ts#capMono',
    'serverMs === undefined ? {} :',
    'serverMs !== -1 ? {} :',
  ]),
  bug('the holder trusts the Date header to the millisecond', 'stale', 424, [
    'stores/dynamodb/response-time.ts#SLOP_MS',
    'const SLOP_MS = 2_000;',
    'const SLOP_MS = -2_000;',
  ]),
  bug('a lease ends for its holder when it ends for others', 'synchronised', 15, [
    'core/run/hold.ts#guardMs',
    'return Math.max(200, leaseMs / 100);',
    'return -4_000;',
  ]),
  bug(
    'the deadline does not move with the server’s clock',
    'skewed',
    4,
    ['core/run/hold.ts#holdOf', 'Math.min(endMono, capMono) - guard', 'endMono - guard'],
    ['core/run/hold.ts#isOver', '|| isPast(capMono, capSent)', ''],
  ),
  bug('an extension that went unanswered counts', 'synchronised', 95, [
    'core/run/extender.ts#leaseExtender',
    'const result = await policy.store.extend(',
    'const [deadlineMono, endMono, capMono] = [hold.deadlineMono, hold.endMono, hold.capMono].map((mono) => mono + 3 * leaseMs) as [number, number, number]; watch.renew({ ...hold, deadlineMono, endMono, capMono }); const result = await policy.store.extend(',
  ]),
  bug(
    'a lost lease is renewed again',
    'hostile',
    173,
    [
      'core/run/extender.ts#leaseExtender',
      "if (result.status === 'lost') watch.lose();",
      "if (result.status === 'lost') return 'extended';",
    ],
    [
      'core/run/extender.ts#leaseExtender',
      'if (!hold || watch.isLost() || watch.isStopped() || closing.signal.aborted)',
      'if (!hold)',
    ],
    [
      'core/run/lease-watch.ts#watchLease',
      "if (hold && isOver(hold, { monotonic, wall: clock.now() })) lose('its lease is over');",
      'if (!hold && monotonic < 0) lose("");',
    ],
  ),
  bug('anybody may extend', 'hostile', 22, [
    'stores/dynamodb/requests.ts#extendRequest',
    'AND lockUntil < :until`,',
    'OR (lockUntil < :until)`,',
  ]),
  bug(
    'an extension may shorten',
    'hostile',
    10,
    ['stores/dynamodb/requests.ts#extendRequest', 'AND lockUntil < :until`,', '`,'],
    [
      'stores/dynamodb/dynamodb.ts#extend',
      'const untilMs = wallInGrant(lease, sent.firstSentMono) + leaseMs + PAD_MS;',
      'const untilMs = Math.round(call.clock.now()) + leaseMs + PAD_MS;',
    ],
  ),
  bug('anybody may release', 'synchronised', 12, [
    'stores/dynamodb/requests.ts#releaseRequest',
    'ConditionExpression: OURS',
    "ConditionExpression: ':att = :att AND #state = :held'",
  ]),
  bug('a released lock is free since 1970', 'synchronised', 1, [
    'core/record/transition.ts#releaseFields',
    '{ lockUntil: releasedAt, releasedAt }',
    '{ lockUntil: 1_000_000_000_000, releasedAt }',
  ]),
  bug('lockAtLeastFor counts for nothing', 'synchronised', 29, [
    'stores/dynamodb/requests.ts#FREE',
    "(#state <> :held AND lockUntil <= :now))'",
    "#state <> :held) AND :now = :now'",
  ]),
  bug('an attempt whose answer was lost is not known again', 'synchronised', 2, [
    'core/record/refusal.ts#judgeRefusal',
    "if (item['attemptId'] === claim.attemptId && item['state'] === 'held') {",
    "if (claim.attemptId === '') {",
  ]),
  bug(
    'a late copy of an acquire that has ended is granted',
    'synchronised',
    11,
    [
      'stores/dynamodb/requests.ts#acquireRequest',
      '[FREE, NEW_ATTEMPT, NOT_BARRED, NOT_PAUSED], {',
      '[FREE, NOT_BARRED, NOT_PAUSED], {',
    ],
    [
      'core/record/transition.ts#releaseFields',
      '{ lockUntil: releasedAt, releasedAt }',
      '{ lockUntil: 1_000_000_000_000, releasedAt }',
    ],
  ),
  bug('an attempt that may yet be applied is not cancelled', 'hostile', 207, [
    'stores/dynamodb/acquire.ts#acquire',
    "if (verdict.kind !== 'granted' && ambiguous && !isDone) {",
    "if (verdict.kind !== 'granted' && ambiguous && claim.name === '') {",
  ]),
  bug('a cancelled attempt is granted all the same', 'skewed', 367, [
    'stores/dynamodb/requests.ts#NOT_BARRED',
    "const NOT_BARRED = '(attribute_not_exists(barredAttempt) OR barredAttempt <> :att)';",
    "const NOT_BARRED = ':att = :att';",
  ]),
  bug('the fencing token does not rise', 'synchronised', 1, [
    'stores/dynamodb/requests.ts#grantRequest',
    "':one': 1, ...defined({ ':tick'",
    "':one': 0, ...defined({ ':tick'",
  ]),
  bug(
    'the fencing token starts at the clock each time',
    'skewed',
    1,
    [
      'stores/dynamodb/requests.ts#grantRequest',
      'fencingToken = if_not_exists(fencingToken, :now) + :one${',
      'fencingToken = :now + :one${',
    ],
    [
      'stores/dynamodb/acquire.ts#grantedNow',
      '(oldToken === undefined ? now : Number(String(oldToken))) + 1',
      'now + 1 + 0 * Number(oldToken ?? 0)',
    ],
  ),
  bug('a done tick is granted again', 'synchronised', 1, [
    'stores/dynamodb/requests.ts#TICK_OPEN',
    "const TICK_OPEN = '(attribute_not_exists(doneTick) OR doneTick < :tick)';",
    "const TICK_OPEN = ':tick = :tick';",
  ]),
  bug('an attempt for a done tick is cancelled all the same', 'synchronised', 4, [
    'stores/dynamodb/acquire.ts#acquire',
    '&& ambiguous && !isDone) {',
    '&& ambiguous) {',
  ]),
  bug('an attempt that was refused for whatever reason is not cancelled', 'skewed', 201, [
    'stores/dynamodb/acquire.ts#acquire',
    "isDone = !answer.value.applied && doneReason(claim, answer.value.item?.['doneTick']) !== undefined;",
    'isDone = !answer.value.applied;',
  ]),
  bug('a tick that is next is taken for one that is done', 'synchronised', 1, [
    'core/record/refusal.ts#doneReason',
    'doneTick < tickMs)',
    'doneTick < tickMs - 8_000)',
  ]),
  bug('with tickMark start a tick is not marked', 'synchronised', 2, [
    'core/record/transition.ts#grantFields',
    'doneTick: markTickAtStart ? tickMs : undefined',
    'doneTick: markTickAtStart && tickMs === 0 ? tickMs : undefined',
  ]),
  bug('a success does not mark its tick', 'synchronised', 5, [
    'core/record/transition.ts#releaseFields',
    'doneTick: markTickDone && tickMs !== undefined ? Math.max(tickMs, doneTickMs) : undefined',
    'doneTick: markTickDone && tickMs === 0 ? Math.max(tickMs, doneTickMs) : undefined',
  ]),
  bug('a failed run marks its tick', 'synchronised', 3, [
    'core/run/guarded-run.ts#completionOf',
    "markTickDone: !failed && policy.tickMark === 'success' && order.tickMs !== undefined,",
    "markTickDone: policy.tickMark === 'success' && order.tickMs !== undefined,",
  ]),
  bug(
    'the deadline counts from an answer that took its time',
    'synchronised',
    15,
    ['core/run/hold.ts#holdOf', 'endMono: firstSentMono + leaseMs,', 'endMono: firstSentMono + leaseMs + 6_000,'],
    ['stores/dynamodb/response-time.ts#capMono', 'serverMs === undefined ? {} :', 'serverMs !== -1 ? {} :'],
  ),
  bug('the run goes on when its lease is over', 'synchronised', 15, [
    'core/run/lease-watch.ts#watchLease',
    "if (hold && isOver(hold, { monotonic, wall: clock.now() })) lose('its lease is over');",
    "if (!hold && monotonic < 0) lose('');",
  ]),
  bug('a signal that is asked does not look at the clocks', 'suspended', 149, [
    'core/run/watched-signal.ts#watchedController',
    'look();',
    '',
  ]),
  bug(
    'a suspended monotonic clock is believed',
    'suspended',
    36,
    ['core/run/hold.ts#isOver', '|| isPast(endMono, endSent)', ''],
    ['core/run/hold.ts#isOver', '|| isPast(capMono, capSent)', ''],
  ),
  bug('a lock that was given back waits for the clock that gave it back', 'skewed', 2, [
    'core/record/refusal.ts#judgeRefusal',
    'isGivenBack(record) || isExpired(lockUntil)',
    "(state === 'forced' && isGivenBack(record)) || isExpired(lockUntil)",
  ]),
  bug('a lock that was freed by force waits for the operator’s clock', 'hostile', 5, [
    'core/record/refusal.ts#isGivenBack',
    "state === 'forced' || state === 'deleted' ||",
    "state === 'deleted' ||",
  ]),
  bug('a lock that was deleted waits for the operator’s clock', 'hostile', 1, [
    'core/record/refusal.ts#isGivenBack',
    "state === 'forced' || state === 'deleted' ||",
    "state === 'forced' ||",
  ]),
  bug('a lock that is kept for lockAtLeastFor counts as given back', 'synchronised', 29, [
    'core/record/refusal.ts#isGivenBack',
    "(state === 'released' && lockUntil === releasedAt)",
    "(state === 'released' && lockUntil !== releasedAt! + 0.5)",
  ]),
  bug('a release drops the fence that its run took over from', 'skewed', 6, [
    'core/record/transition.ts#releaseFields',
    '? Math.max(nowMs, fenceMs) : nowMs;',
    '? nowMs : nowMs;',
  ]),
  bug('a dead holder is waited for in vain', 'synchronised', 3, [
    'stores/dynamodb/acquire.ts#acquire',
    "if (verdict.kind === 'expired') {",
    "if (verdict.kind === 'expired' && claim.name === '') {",
  ]),
  bug('an answer is sure although another try is pending', 'synchronised', 318, [
    'core/request/try-loop.ts#tryUntilAnswered',
    'ambiguous: ambiguous || pending.size > 0',
    "ambiguous: ambiguous || ('error' in how && pending.size > 0)",
  ]),
  bug('a call that has its answer goes on sending', 'synchronised', 57, [
    'core/request/try-loop.ts#tryUntilAnswered',
    'const end = (how: { readonly value: T } | { readonly error: unknown }) => { timer?.cancel();',
    'const end = (how: { readonly value: T } | { readonly error: unknown }) => {',
  ]),
];
