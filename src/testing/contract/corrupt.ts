import type { Claim } from '../../core/ports/lock-store.js';
import { type ContractCase, contractCase } from './stage/case.js';
import { expectFields, expectRejection, expectSame } from './stage/expectation.js';
import { type Scene, TICK_MS } from './stage/scene.js';

/** Strings that are not valid for their attribute. */
const WRONG: readonly (readonly [attribute: string, value: string])[] = [
  ['attemptId', ''],
  ['fencingToken', 'seven'],
  ['state', 'locked'],
  ['lockedAt', 'yesterday'],
  ['lockUntil', 'for ever'],
  ['leaseMs', '15m'],
  ['lockedBy', ''],
  ['tick', '2026-01-01T02:00:00Z'],
  ['doneTick', '2026-01-01T02:00:00Z'],
  ['openTicks', '2026-01-01T02:00:00Z'],
  ['failedTicks', 'mjuss3k0'],
  ['barredAttempt', ''],
  ['pausedUntil', 'tomorrow'],
  ['pausedBy', ''],
  ['result', 'ok'],
  ['releasedAt', 'yesterday'],
  ['error', ''],
  ['v', 'one'],
];

/** Instants in a wrong unit, as another tool may write them. */
const WRONG_UNITS: readonly (readonly [attribute: string, unit: string, value: number])[] = [
  ['lockedAt', 'seconds', TICK_MS / 1_000],
  ['lockUntil', 'seconds', TICK_MS / 1_000],
  ['lockUntil', 'microseconds', TICK_MS * 1_000],
  ['doneTick', 'seconds', TICK_MS / 1_000],
];

/** Attributes that an acquire of a free lock reads. */
const READ_WHEN_FREE = ['fencingToken', 'pausedUntil', 'doneTick'] as const;

export const corruptCases: readonly ContractCase[] = [
  ...WRONG.map(([attribute, value]) => corruptCase(`F14 a wrong ${attribute}`, attribute, value)),
  ...WRONG_UNITS.map(([attribute, unit, value]) => corruptCase(`F15 ${attribute} in ${unit}`, attribute, value)),

  ...READ_WHEN_FREE.map((attribute) =>
    contractCase(
      `F14 a wrong ${attribute} of a free lock causes a CorruptLockError that names it`,
      async (scene) => {
        await scene.run();
        await scene.patch({ [attribute]: 'a text' });
        await expectCorrupt(scene, attribute, { tickMs: TICK_MS });
      },
      ['patch'],
    ),
  ),

  contractCase(
    'F86 a fencing token that is not a safe integer causes a CorruptLockError, and nobody is granted the lock',
    async (scene) => {
      await scene.run();
      await scene.patch({ fencingToken: 2 ** 53 });
      await expectCorrupt(scene, 'fencingToken');
      await expectCorrupt(scene, 'fencingToken');
    },
    ['patch'],
  ),

  contractCase(
    'F14 a corrupt record is usable again once it is corrected',
    async ({ grant, patch, claim, acquire, refuse }) => {
      const { fencingToken } = await grant({ lockedBy: 'the holder' });
      await patch({ lockedBy: '' });
      await expectRejection(acquire(claim()), { name: 'CorruptLockError' }, 'acquire');
      await patch({ lockedBy: 'the holder' });
      expectFields((await refuse('locked')).holder, { lockedBy: 'the holder', fencingToken }, 'holder');
    },
    ['patch'],
  ),

  contractCase(
    'F14 a delete of a lock that is not held repairs everything in it except its token',
    async ({ run, patch, remove, record }) => {
      for (const [attribute, value] of WRONG.filter(([name]) => name !== 'fencingToken')) {
        const lease = await run();
        await patch({ [attribute]: value });
        expectSame(await remove(lease), 'deleted', `delete of a record with a wrong ${attribute}`);
        expectSame(Object.values((await record()) ?? {}).includes(value), false, `that ${attribute} is kept`);
      }
    },
    ['admin', 'patch'],
  ),

  contractCase(
    'F14 a delete of a lock with a wrong token rejects with a CorruptLockError that names it, and changes nothing',
    async ({ run, patch, remove, record }) => {
      const lease = await run();
      await patch({ fencingToken: 'seven' });
      await expectRejection(remove(lease), corrupt(lease.name, 'fencingToken'), 'delete');
      expectFields(await record(), { state: 'released' }, 'record');
    },
    ['admin', 'patch'],
  ),

  contractCase(
    'F14 a delete of a held lock with a wrong lockUntil rejects with a CorruptLockError that names it, and changes nothing',
    async ({ grant, patch, remove, record }) => {
      const lease = await grant();
      for (const lockUntil of ['for ever', TICK_MS / 1_000]) {
        await patch({ lockUntil });
        await expectRejection(remove(lease), corrupt(lease.name, 'lockUntil'), 'delete');
        expectFields<object>(await record(), { state: 'held', lockUntil }, 'record');
      }
    },
    ['admin', 'patch'],
  ),
];

function corruptCase(what: string, attribute: string, value: string | number): ContractCase {
  return contractCase(
    `${what} is a CorruptLockError that names it, and never a held lock`,
    async (scene) => {
      await scene.grant({ tickMs: TICK_MS });
      await scene.patch({ [attribute]: value });
      await expectCorrupt(scene, attribute);
    },
    ['patch'],
  );
}

async function expectCorrupt(
  { acquire, claim, name: lockName }: Scene,
  attribute: string,
  asked?: Partial<Claim>,
): Promise<void> {
  await expectRejection(acquire(claim(asked)), corrupt(lockName, attribute), 'acquire');
}

const corrupt = (lockName: string, attribute: string) => ({
  name: 'CorruptLockError',
  code: 'CORRUPT_LOCK',
  lockName,
  attribute,
});
