import { executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { expectRising, expectSame } from '../../src/testing/contract/stage/expectation.js';
import type { Scene } from '../../src/testing/contract/stage/scene.js';
import { APART, ENDED, EXTENDED, EXTENDED_RELEASED, FREED, HELD, ofContract, onScene } from './on-scene.js';
import { isNotExtendedAfterItsEnd, isTakenTenTimes } from './plays.js';
import type { Scenario } from './scenario.js';
import { SIGNAL_SCENARIOS } from './syncguard-signals.js';

const BY_NAME = 'Operators look a lock up by its name; a run asks its own execution whether it still holds the lock.';
const OWN_IDS = 'The library makes the ids of its attempts; no caller passes one in.';
/** The longest name of the suite. With the prefix of a store it has 128 bytes. */
const GREATEST_LENGTH = 120;
const LATE_EXTEND = 'As long as nobody has taken the lock over, a late extension is safe and keeps it.';

/** What syncguard's contracts expect of every backend, in our words. */
export const SYNCGUARD: readonly Scenario[] = [
  ...ofContract({
    'a lock is taken, is held, is released and is free': [HELD, FREED],
    'a grant has a fencing token': ['F86 a fencing token is a safe integer'],
    'locks of three names are taken and released beside each other': [APART],
    'a release of a lock that does not exist is none': [
      'a release without a record answers lost and creates no record',
    ],
    'a held lock is refused to another as locked': [HELD],
    'locks of different names are granted at the same time': [APART],
    'a lock is granted after its release': [FREED],
    'three who ask for a held lock are refused, and one who asks after its end is granted': [HELD, ENDED],
    'of five who ask at the same time one is granted, and afterwards the lock is free': [
      'F7 of twenty acquires at one instant exactly one is granted',
      FREED,
    ],
    'a lock ends by itself, and can be taken': [ENDED],
    'an extension moves the end of a lock': ['extend moves the end of the lease to now + leaseMs', EXTENDED],
    'a lock is extended several times': ['extend never shortens a lease', EXTENDED_RELEASED],
    'after the end of one lock the next is held again': [ENDED],
    'a stranger cannot release': ['a release by another attempt answers lost and leaves the holder its lock'],
    'a stranger cannot extend': ['row 25: an extend after a takeover answers lost and leaves the successor alone'],
    'a release frees its own lock and no other': [APART],
    'a holder whose lock was taken over cannot extend it': [
      'row 25: an extend after a takeover answers lost and leaves the successor alone',
    ],
    'the owner can extend and release': [EXTENDED_RELEASED],
    'three strangers at once cannot release': [
      'a release by another attempt answers lost and leaves the holder its lock',
    ],
    'a stranger cannot release an extended lock, and its owner can': [
      'a release by another attempt answers lost and leaves the holder its lock',
      EXTENDED_RELEASED,
    ],
    'tokens rise for each name by itself': ['F52 the fencing token rises over a release', APART],
    'a token is remembered over the end of a lock': ['the fencing token rises over a crash'],
    'a clean-up leaves the counter of tokens': ['F52 the fencing token rises over a delete'],
    'tokens rise over three locks that ended by themselves': ['the fencing token rises over a crash'],
    'a look-up of a name that was never used finds nothing': ['get of a name that was never used is undefined'],
    'an empty name is refused': ['F18 a name empty is refused as INVALID_NAME'],
    'an extension of a lock that does not exist is no error': [
      'F37 an extend without a record answers lost and creates no record',
    ],
    'a name that was never used is not locked': ['acquire grants a name that was never used'],
    'names with colons, slashes, dashes, underscores and dots are taken': [
      'F92 names with unusual characters stay apart',
    ],
    'names in any script are taken': ['F92 names with unusual characters stay apart'],
  }),
  {
    ...onScene('a second release does not count', async ({ run, release }) => {
      expectSame(await release(await run()), 'lost', 'second release');
    }),
    differs:
      'A release that is sent again is answered `released` again: a client whose first answer was lost must not take its own release for a loss. Nothing is written.',
  },
  onScene('ten runs in quick succession are all granted and released', isTakenTenTimes),
  {
    ...onScene('a lock that is over cannot be extended', isNotExtendedAfterItsEnd),
    differs: LATE_EXTEND,
  },
  {
    ...onScene('a token is a text of 15 digits', async ({ grant }) => {
      expectSame(/^\d{15}$/.test(String((await grant()).fencingToken)), true, '15 digits');
    }),
    differs: 'A token is a safe integer, and is compared as a number.',
  },
  onScene('tokens of one name rise, as numbers and as texts', async ({ run }) => {
    const tokens: number[] = [];
    for (let n = 0; n < 5; n++) tokens.push((await run()).fencingToken);
    expectRising(tokens, 'tokens');
    expectSame(tokens.map(String).toSorted().join(), tokens.join(), 'tokens in the order of texts');
  }),
  {
    ...onScene('a look-up by name shows the grant, and hides names and ids behind hashes', async (scene) => {
      const lease = await scene.grant();
      const seen = await lookUp(scene);
      expectSame(seen?.fencingToken, lease.fencingToken, 'token');
      expectSame(JSON.stringify(seen).includes(scene.name), false, 'name in the clear');
    }),
    differs: 'The view is for operators, who need the name. The id of the attempt is left out where a lock is shown.',
  },
  { name: 'a look-up by the id of a lock', differs: BY_NAME },
  { name: 'a look-up by an id that was never used', differs: BY_NAME },
  {
    ...onScene('a look-up of a lock that is over finds nothing', async (scene) => {
      await scene.grantAndDie();
      expectSame(await lookUp(scene), undefined, 'lock');
    }),
    differs: 'It shows the lock as `expired`, with its holder: that is how an operator learns of a crash.',
  },
  onScene('a look-up by a name that cannot be is refused', async (scene) => {
    await expectRefusal(lookUp(scene, ''));
    await expectRefusal(lookUp(scene, 'x'.repeat(600)));
  }),
  { name: 'a look-up by an id that cannot be is refused', differs: BY_NAME },
  onScene('three look-ups at once tell the same', async (scene) => {
    await scene.grant();
    const seen = await Promise.all([1, 2, 3].map(() => lookUp(scene)));
    expectSame(new Set(seen.map((lock) => lock?.fencingToken)).size, 1, 'tokens');
  }),
  onScene('look-ups of three names tell each its own grant', async (scene) => {
    const names = ['a', 'b', 'c'].map((suffix) => `${scene.name} ${suffix}`);
    const leases = await Promise.all(names.map((name) => scene.grant({ name })));
    const seen = await Promise.all(names.map((name) => lookUp(scene, name)));
    expectSame(seen.map((lock) => lock?.fencingToken).join(), leases.map((l) => l.fencingToken).join(), 'tokens');
  }),
  onScene('a name that is too long is refused', async (scene) => {
    const name = 'x'.repeat(600);
    await expectRefusal(scene.acquire(scene.claim({ name })));
    await expectRefusal(lookUp(scene, name));
  }),
  onScene('a name of the greatest length is taken', async ({ name, run }) => {
    await run({ name: name.padEnd(GREATEST_LENGTH, 'a') });
  }),
  { name: 'an empty id is refused', differs: OWN_IDS },
  { name: 'an id of a wrong form is refused', differs: OWN_IDS },
  onScene('a negative lease is refused', (scene) => expectRefusal(execute(scene, -1))),
  onScene('a lease of nothing is refused', (scene) => expectRefusal(execute(scene, 0))),
  {
    ...onScene('leases of 0.1 s, 1 s, 30 s and 1 h are taken', async (scene) => {
      for (const lockAtMostFor of [100, 1_000, 30_000, 3_600_000]) await execute(scene, lockAtMostFor);
    }),
    differs: 'The shortest lease that a caller may ask for is 1 s; the others are taken.',
  },
  onScene('after ten refused names a good one is granted and released', async (scene) => {
    for (let n = 0; n < 10; n++) await expectRefusal(scene.acquire(scene.claim({ name: '' })));
    await scene.run();
  }),
  onScene('all verbs refuse a wrong name with one class of error, which has a code', async (scene) => {
    const { harness, acquire, claim, extend, release, admin } = scene;
    const wrong = { ...(await strange(scene)), name: '' };
    const asked = [acquire(claim({ name: '' })), extend(wrong), release(wrong), admin.get('', harness.call())];
    const codes = await Promise.all(asked.map(codeOf));
    expectSame(codes.join(), asked.map(() => 'INVALID_NAME').join(), 'codes');
  }),
  ...SIGNAL_SCENARIOS,
];

/** A lease that the store never granted for this name. */
async function strange({ grant, name }: Scene) {
  return { ...(await grant({ name: `${name} of a stranger` })), name };
}

const lookUp = ({ admin, harness, name }: Scene, of = name) =>
  lockAdmin(admin, { clock: harness.call().clock }).get(of);

const execute = ({ harness, name }: Scene, lockAtMostFor: number) =>
  executeWithLock(() => undefined, { name, store: harness.store, lockAtMostFor, clock: harness.call().clock });

async function expectRefusal(asked: Promise<unknown>): Promise<void> {
  const answer = await asked.catch((error: unknown) => error);
  expectSame(answer instanceof Error, true, 'refused with an error');
}

async function codeOf(asked: Promise<unknown>): Promise<unknown> {
  const error: unknown = await asked.catch((reason: unknown) => reason);
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
