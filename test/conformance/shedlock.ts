import { setTimeout as sleep } from 'node:timers/promises';
import { expectSame } from '../../src/testing/contract/stage/expectation.js';
import { HOLD_MS } from '../../src/testing/contract/stage/scene.js';
import { APART, ENDED, EXTENDED, EXTENDED_RELEASED, FREED, HELD, isFree, ofContract, onScene } from './on-scene.js';
import { isNotExtendedAfterItsEnd, isTakenTenTimes } from './plays.js';
import type { Scenario } from './scenario.js';

const SAME_HANDLE =
  'An extension prolongs the lease of the same attempt and makes no second handle, so an older handle still works.';
const WORKERS = 8;
const ROUNDS = 25;
const FEW_ROUNDS = 10;

export const SHEDLOCK: readonly Scenario[] = [
  ...ofContract({
    'a lock that was taken is held, and free once it is unlocked': [HELD, FREED],
    'a held lock is not given a second time': [HELD],
    'two locks of different names are independent': [APART],
    'a lock can be taken twice in a row': [FREED],
    'a lock whose time is over is free, and can be taken': [ENDED],
    'lockAtLeastFor holds the lock after the unlock, and then frees it': [
      'row 4: lockAtLeastFor counts from the start of a run, even if it is released late',
      'a hold that is over frees the lock',
    ],
    'an extended lock outlives its first end': [EXTENDED, EXTENDED_RELEASED],
    'an unlocked lock cannot be extended': ['extend after a release that holds the lock does not prolong the hold'],
  }),
  onScene('ten times: taken, refused to another, free right after the unlock', isTakenTenTimes),
  onScene(`${WORKERS} workers count under two locks and no count is lost`, async (scene) => {
    const counters = [0, 0];
    const work = async (worker: number) => {
      const which = worker % 2;
      for (let left = worker === 0 ? FEW_ROUNDS : ROUNDS; left > 0; ) {
        const result = await scene.acquire(scene.claim({ name: `${scene.name} ${which}` }));
        if (result.status === 'refused') {
          await sleep(1);
          continue;
        }
        const seen = counters[which] ?? 0;
        await sleep(1);
        counters[which] = seen + 1;
        await scene.release(result.lease);
        left--;
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)));
    expectSame(counters.join(), `${FEW_ROUNDS + 3 * ROUNDS},${4 * ROUNDS}`, 'counts');
  }),
  {
    ...onScene('a lock whose time is over cannot be extended', isNotExtendedAfterItsEnd),
    differs:
      'As long as nobody has taken the lock over, a late extension is safe and keeps it: the record still names this attempt. A run learns from its own deadline that its lease is over, and the deadline comes first.',
  },
  onScene('a lock that is extended with a lockAtLeastFor is held after its unlock', async (scene) => {
    const lease = await scene.grant();
    expectSame((await scene.extend(lease)).status, 'extended', 'extend');
    await scene.release(lease, { lockAtLeastForMs: HOLD_MS });
    expectSame(await isFree(scene), false, 'free');
  }),
  {
    ...onScene('a handle cannot be extended twice', async ({ grant, extend }) => {
      const lease = await grant();
      await extend(lease);
      expectSame((await extend(lease)).status, 'lost', 'second extend');
    }),
    differs: SAME_HANDLE,
  },
  {
    ...onScene('a handle cannot be unlocked after it was extended', async ({ grant, extend, release }) => {
      const lease = await grant();
      await extend(lease);
      expectSame(await release(lease), 'lost', 'release');
    }),
    differs: SAME_HANDLE,
  },
  {
    name: 'a lock survives that the provider forgets which records it has made',
    differs: 'No store here keeps such a memory: each acquire is one conditional write to a record that may not exist.',
  },
];
