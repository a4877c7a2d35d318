import { executeWithLock } from 'single-execution';
import { lockAdmin } from 'single-execution/admin';
import { expectGranted, expectRising, expectSame } from '../../src/testing/contract/stage/expectation.js';
import type { Scene } from '../../src/testing/contract/stage/scene.js';
import { isFree, onScene } from './on-scene.js';
import {
  isGrantedAfterItsEnd,
  isGrantedAfterItsRelease,
  isHeldUntilItsRelease,
  isNotExtendedAfterItsEnd,
  isRefusedWhileHeld,
  isTakenTenTimes,
} from './plays.js';
import type { Scenario } from './scenario.js';
import { SIGNAL_SCENARIOS } from './syncguard-signals.js';

const BY_NAME = 'Operators look a lock up by its name; a run asks its own execution whether it still holds the lock.';
const OWN_IDS = 'The library makes the ids of its attempts; no caller passes one in.';
/** The longest name of the suite. With the prefix of a store it has 128 bytes. */
const GREATEST_LENGTH = 120;
const LATE_EXTEND = 'While nobody took the lock over, a late extension is safe and keeps it.';

const LIFE: readonly Scenario[] = [
  onScene('a lock is taken, is held, is released and is free', isHeldUntilItsRelease),
  onScene('a grant has a fencing token', async ({ grant }) => {
    expectRising([0, (await grant()).fencingToken], 'token above nothing');
  }),
  onScene('locks of three names are taken and released beside each other', async (scene) => {
    const names = ['a', 'b', 'c'].map((suffix) => `${scene.name} ${suffix}`);
    const leases = await Promise.all(names.map((name) => scene.grant({ name })));
    const released = await Promise.all(leases.map((lease) => scene.release(lease)));
    expectSame(released.join(), 'released,released,released', 'releases');
  }),
  {
    ...onScene('a second release is no release', async ({ run, release }) => {
      expectSame(await release(await run()), 'lost', 'second release');
    }),
    differs:
      'A release that is sent again is told `released` again: a client whose first answer was lost must not take its own release for a loss. Nothing is written.',
  },
  onScene('a release of a lock that does not exist is none', async (scene) => {
    expectSame(await scene.release(await strange(scene)), 'lost', 'release');
  }),
  onScene('ten runs in quick succession are all granted and released', isTakenTenTimes),
];

const CONTENTION: readonly Scenario[] = [
  onScene('a held lock is refused to another as locked', isRefusedWhileHeld),
  onScene('locks of different names are granted at the same time', async ({ name, grant }) => {
    await Promise.all(['a', 'b', 'c'].map((suffix) => grant({ name: `${name} ${suffix}` })));
  }),
  onScene('a lock is granted after its release', isGrantedAfterItsRelease),
  onScene('three who ask for a held lock are refused, and one who asks after its end is granted', async (scene) => {
    await scene.grant();
    await Promise.all([1, 2, 3].map(() => scene.refuse('locked')));
    const later = { name: `${scene.name} later` };
    await scene.grantAndDie(later);
    await scene.grant(later);
  }),
  onScene('of five who ask at the same time one is granted, and afterwards the lock is free', async (scene) => {
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => scene.acquire(scene.claim())));
    const granted = results.filter(({ status }) => status === 'acquired');
    expectSame(granted.length, 1, 'grants');
    for (const result of granted) await scene.release(expectGranted(result, 'acquire'));
    expectSame(await isFree(scene), true, 'free');
  }),
];

const TIME: readonly Scenario[] = [
  onScene('a lock ends by itself, and can be taken', isGrantedAfterItsEnd),
  onScene('an extension moves the end of a lock', async ({ grant, extend, refuse, harness }) => {
    const lease = await grant({ leaseMs: harness.shortLeaseMs });
    const extended = await extend(lease);
    expectRising([lease.lockUntilMs, extended.status === 'extended' ? extended.lockUntilMs : 0], 'ends');
    await harness.expire(lease);
    await refuse('locked');
  }),
  {
    ...onScene('a lock that is over cannot be extended', isNotExtendedAfterItsEnd),
    differs: LATE_EXTEND,
  },
  onScene('a lock is extended several times', async ({ grant, extend, refuse, release }) => {
    const lease = await grant();
    const statuses = [(await extend(lease)).status, (await extend(lease)).status];
    expectSame(statuses.join(), 'extended,extended', 'extensions');
    await refuse('locked');
    expectSame(await release(lease), 'released', 'release');
  }),
  onScene('after the end of one lock the next is held again', async ({ grantAndDie, grant, refuse }) => {
    await grantAndDie();
    await grant();
    await refuse('locked');
  }),
];

const OWNERSHIP: readonly Scenario[] = [
  onScene('a stranger cannot release', async (scene) => {
    await scene.grant();
    expectSame(await scene.release(await strange(scene)), 'lost', 'release');
    await scene.refuse('locked');
  }),
  onScene('a stranger cannot extend', async (scene) => {
    await scene.grant();
    expectSame((await scene.extend(await strange(scene))).status, 'lost', 'extend');
    await scene.refuse('locked');
  }),
  onScene('a release frees its own lock and no other', async ({ grant, name, release, refuse }) => {
    await grant();
    const other = await grant({ name: `${name} 2` });
    expectSame(await release(other), 'released', 'release');
    await refuse('locked');
    await grant({ name: `${name} 2` });
  }),
  onScene('a holder whose lock was taken over cannot extend it', async ({ grantAndDie, grant, extend, refuse }) => {
    const former = await grantAndDie();
    await grant();
    expectSame((await extend(former)).status, 'lost', 'extend');
    await refuse('locked');
  }),
  onScene('the owner can extend and release', async (scene) => {
    const lease = await scene.grant();
    expectSame((await scene.extend(lease)).status, 'extended', 'extend');
    expectSame(await scene.release(lease), 'released', 'release');
    expectSame(await isFree(scene), true, 'free');
  }),
  onScene('three strangers at once cannot release', async (scene) => {
    const lease = await scene.grant();
    const stranger = await strange(scene);
    const released = await Promise.all([1, 2, 3].map(() => scene.release(stranger)));
    expectSame(released.join(), 'lost,lost,lost', 'releases');
    expectSame(await scene.release(lease), 'released', 'release by the owner');
  }),
  onScene('a stranger cannot release an extended lock, and its owner can', async (scene) => {
    const lease = await scene.grant();
    await scene.extend(lease);
    expectSame(await scene.release(await strange(scene)), 'lost', 'release');
    expectSame(await scene.release(lease), 'released', 'release by the owner');
  }),
];

const FENCING: readonly Scenario[] = [
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
  onScene('tokens rise for each name by itself', async ({ run, name }) => {
    for (const each of [name, `${name} 2`]) {
      const tokens = [(await run({ name: each })).fencingToken, (await run({ name: each })).fencingToken];
      expectRising(tokens, 'tokens');
    }
  }),
  onScene('a token is remembered over the end of a lock', async ({ grantAndDie, grant }) => {
    expectRising([(await grantAndDie()).fencingToken, (await grant()).fencingToken], 'tokens');
  }),
  onScene('a clean-up leaves the counter of tokens', async ({ run, remove, grant }) => {
    const { name, fencingToken } = await run();
    expectSame(await remove({ name, fencingToken }), 'deleted', 'delete');
    expectRising([fencingToken, (await grant()).fencingToken], 'tokens');
  }),
  onScene('tokens rise over three locks that ended by themselves', async ({ grantAndDie }) => {
    const tokens: number[] = [];
    for (let n = 0; n < 3; n++) tokens.push((await grantAndDie()).fencingToken);
    expectRising(tokens, 'tokens');
  }),
];

const LOOK_UP: readonly Scenario[] = [
  {
    ...onScene('a look-up by name tells the grant, and hides names and ids behind hashes', async (scene) => {
      const lease = await scene.grant();
      const seen = await lookUp(scene);
      expectSame(seen?.fencingToken, lease.fencingToken, 'token');
      expectSame(JSON.stringify(seen).includes(scene.name), false, 'name in the clear');
    }),
    differs: 'The view is for operators, who need the name. The id of the attempt is left out where a lock is shown.',
  },
  { name: 'a look-up by the id of a lock', differs: BY_NAME },
  onScene('a look-up of a name that was never used finds nothing', async (scene) => {
    expectSame(await lookUp(scene), undefined, 'lock');
  }),
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
];

const WRONG_USE: readonly Scenario[] = [
  onScene('an empty name is refused', ({ acquire, claim }) => expectRefusal(acquire(claim({ name: '' })))),
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
  onScene('an extension of a lock that does not exist is no error', async (scene) => {
    expectSame((await scene.extend(await strange(scene))).status, 'lost', 'extend');
  }),
  onScene('a name that was never used is not locked', async (scene) => {
    expectSame(await isFree(scene), true, 'free');
  }),
  onScene('names with colons, slashes, dashes, underscores and dots are taken', async ({ name, run }) => {
    for (const each of [':', '/', '-', '_', '.']) await run({ name: name + each });
  }),
  onScene('names in any script are taken', async ({ name, run }) => {
    for (const each of ['🔒', 'clé-française', 'キー', 'ключ']) await run({ name: `${name} ${each}` });
  }),
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
];

/** What syncguard's contracts expect of every backend, in our words and in the contracts' order. */
export const SYNCGUARD: readonly Scenario[] = [
  ...LIFE,
  ...CONTENTION,
  ...TIME,
  ...OWNERSHIP,
  ...FENCING,
  ...LOOK_UP,
  ...WRONG_USE,
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
