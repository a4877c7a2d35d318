import type { Claim, RefusalReason } from 'single-execution';
import type { Judgement } from '../../../src/core/record/refusal.js';
import { type Mutant, SOUND } from '../mutant-store.js';

const { judge, grant, release } = SOUND;

export const tickMutants: readonly Mutant[] = [
  [
    'compares no tick',
    { judge: (c, record, now) => judge(untimed(c), record, now) },
    'F63 a tick that is done is refused as already-executed',
  ],
  [
    'runs stale ticks',
    { judge: (c, record, now) => judge(record?.doneTick === c.tickMs ? c : { ...c, tickMs: 1e13 }, record, now) },
    'F66 a tick older than the last one done is refused as stale-tick',
  ],
  [
    'calls a stale tick already-executed',
    { judge: (...args) => renamed(judge(...args), 'stale-tick', 'already-executed') },
    'F66 a tick older than the last one done is refused as stale-tick',
  ],
  [
    'calls a done tick stale',
    { judge: (...args) => renamed(judge(...args), 'already-executed', 'stale-tick') },
    'F63 a tick that is done is refused as already-executed',
  ],
  [
    'judges the lock before the tick',
    { judge: (c, record, now) => (record?.state === 'held' ? judge(untimed(c), record, now) : judge(c, record, now)) },
    'a tick that is done is already-executed even while the next one runs',
  ],
  [
    'refuses a newer tick',
    {
      judge: (c, record, now) =>
        judge(
          { ...c, ...(c.tickMs !== undefined && record?.doneTick !== undefined && { tickMs: record.doneTick }) },
          record,
          now,
        ),
    },
    'a newer tick is granted and is told the last tick done',
  ],
  [
    'marks the tick of a failed run',
    { release: (r, l, c, now) => release(r, l, { ...c, markTickDone: true }, now) },
    'F67 a tick whose run failed is still open',
  ],
  [
    'marks no tick',
    { release: (r, l, c, now) => release(r, l, { ...c, markTickDone: false }, now) },
    'F63 a tick that is done is refused as already-executed',
  ],
  [
    'marks every success',
    { release: (r, l, c, now) => release(r, l, { ...c, markTickDone: c.result === 'succeeded' }, now) },
    'a success that is told not to mark its tick leaves it open',
  ],
  [
    'marks every tick at the start',
    { grant: (c, old, now) => grant({ ...c, markTickAtStart: true }, old, now) },
    'a tick whose run crashed is still open',
  ],
  [
    'marks no tick at the start',
    { grant: (c, old, now) => grant({ ...c, markTickAtStart: false }, old, now) },
    'F75 a tick marked at the start is done although its run crashed',
  ],
  [
    'lets the last tick done go back',
    { release: (r, l, c, now) => release(r, { ...l, doneTickMs: 0 }, c, now) },
    'the last tick done never goes back',
  ],
  [
    'forgets the last tick done without a tick',
    {
      grant: (c, { doneTick, ...old }, now) =>
        grant(c, c.tickMs === undefined || doneTick === undefined ? old : { ...old, doneTick }, now),
    },
    'a run without a tick does not forget the last tick done',
  ],
  [
    'takes the latest tick for the last one done',
    {
      judge: (c, record, now) =>
        judge(c, record?.tick === undefined ? record : { ...record, doneTick: record.tick }, now),
    },
    'F67 a tick whose run failed is still open',
  ],
  [
    'marks the tick of a run that lost its lock',
    { lost: (record, { tickMs }) => record && { ...record, ...(tickMs !== undefined && { doneTick: tickMs }) } },
    'F57 a run that lost its lock does not mark its tick',
  ],
  [
    'does not tell the last tick done',
    { lease: ({ doneTickMs: _, ...l }) => l },
    'a newer tick is granted and is told the last tick done',
  ],
];

function untimed({ tickMs: _, ...claim }: Claim): Claim {
  return claim;
}

function renamed(judgement: Judgement, from: RefusalReason, to: RefusalReason): Judgement {
  if (judgement.kind !== 'refused' || judgement.why.reason !== from) return judgement;
  return { kind: 'refused', why: { ...judgement.why, reason: to } };
}
