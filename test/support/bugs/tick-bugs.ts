import { bug, type ContractBug, STORE } from './contract-bug.js';

export const TICK_BUGS: readonly ContractBug[] = [
  bug('compares no tick', 'F63 a tick that is done is refused as already-executed', [
    'core/record/refusal.ts#doneReason',
    'tickMs === undefined ||',
    'true ||',
  ]),
  bug('runs stale ticks', 'F66 a tick older than the last one done is refused as stale-tick', [
    'core/record/refusal.ts#doneReason',
    ": 'stale-tick';",
    ': undefined;',
  ]),
  bug('calls a stale tick already-executed', 'F66 a tick older than the last one done is refused as stale-tick', [
    'core/record/refusal.ts#doneReason',
    ": 'stale-tick';",
    ": 'already-executed';",
  ]),
  bug('calls a done tick stale', 'F63 a tick that is done is refused as already-executed', [
    'core/record/refusal.ts#doneReason',
    "? 'already-executed'",
    "? 'stale-tick'",
  ]),
  bug('judges the lock before the tick', 'a tick that is done is already-executed even while the next one runs', [
    'core/record/refusal.ts#judgeRefusal',
    'if (done)',
    "if (done && state !== 'held')",
  ]),
  bug('refuses a newer tick', 'a newer tick is granted and is told the last tick done', [
    'core/record/refusal.ts#doneReason',
    '|| doneTick < tickMs',
    '',
  ]),
  bug('marks the tick of a failed run', 'F67 a tick whose run failed is still open', [
    'core/record/transition.ts#releaseFields',
    'markTickDone && tickMs',
    'tickMs',
  ]),
  bug('marks no tick', 'F63 a tick that is done is refused as already-executed', [
    'core/record/transition.ts#releaseFields',
    'markTickDone && tickMs',
    'false && tickMs',
  ]),
  bug('marks every success', 'a success that is told not to mark its tick leaves it open', [
    'core/record/transition.ts#releaseFields',
    'markTickDone && tickMs',
    "result === 'succeeded' && tickMs",
  ]),
  bug('marks every tick at the start', 'a tick whose run crashed is still open', [
    'core/record/transition.ts#grantFields',
    'markTickAtStart ? tickMs : undefined',
    'tickMs',
  ]),
  bug('marks no tick at the start', 'F75 a tick marked at the start is done although its run crashed', [
    'core/record/transition.ts#grantFields',
    'markTickAtStart ? tickMs : undefined',
    'undefined',
  ]),
  bug('lets the last tick done go back', 'the last tick done never goes back', [
    'core/record/transition.ts#releaseFields',
    'Math.max(tickMs, doneTickMs)',
    'tickMs',
  ]),
  bug('forgets the last tick done without a tick', 'a run without a tick does not forget the last tick done', [
    STORE,
    'const { tick: _, ...kept } = old ?? {};',
    'const { tick: _, ...kept } = old ?? {}; if (claim.tickMs === undefined) delete kept.doneTick;',
  ]),
  bug('takes the latest tick for the last one done', 'F67 a tick whose run failed is still open', [
    'core/record/refusal.ts#judgeRefusal',
    'doneReason(claim, doneTick)',
    'doneReason(claim, record.tick ?? doneTick)',
  ]),
  bug('marks the tick of a run that lost its lock', 'F57 a run that lost its lock does not mark its tick', [
    STORE,
    ": 'lost';",
    ": (Object.assign(record, { doneTick: lease.tickMs }), 'lost');",
  ]),
  bug('does not tell the last tick done', 'a newer tick is granted and is told the last tick done', [
    'core/record/transition.ts#leaseOf',
    'doneTickMs: old?.doneTick,',
    '',
  ]),
];
