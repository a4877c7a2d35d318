import type { Lease } from '../../core/ports/lock-store.js';
import { newAttemptId } from '../../core/values/names.js';
import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectFields, expectGranted, expectRejection, expectSame } from './stage/expectation.js';
import { type Scene, TICK_MS } from './stage/scene.js';

/** Endings for lock names: blanks, separators, and texts that mean something elsewhere, as `%20` does in a URL. */
const ENDINGS = [
  '',
  ' ',
  '#b',
  ':b',
  '/b',
  '.b',
  '*',
  '{}',
  '%20',
  '%0A',
  '%25',
  '%250A',
  "'",
  '"',
  '\\',
  '$x',
  'ü',
  '日本',
  '🔒',
  '\u00a0',
  '\u200f',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\uffff',
];

/** Beginnings that a decoder, a trimmer or a normaliser may take away. */
const BEGINNINGS = ['', ' ', '\ufeff', '\u202e', '\u0301', '\uffff'];

/** Texts that a database or its client may return as other values. */
const READ_AS_OTHERS = [
  '12e5',
  '007',
  'true',
  'null',
  '{"a":1}',
  '"text"',
  '[1]',
  '%0A',
  '%25',
  '%250A',
  'a\nb',
  'a\0b',
  '\ufeffa',
  'e\u0301',
  ' ',
];

const REFUSED: readonly (readonly [string, string])[] = [
  ['empty', ''],
  ['over 128 bytes', 'x'.repeat(129)],
  ['over 128 bytes in UTF-8', 'ü'.repeat(65)],
  ['with a control character', 'a\nb'],
  ['with a NUL', 'a\0b'],
  ['not in Unicode form NFC', 'u\u0308'],
  ['with a lone surrogate', 'a\ud800'],
];

export const nameCases: readonly ContractCase[] = [
  contractCase('F92 names with unusual characters stay apart', async (scene) => {
    await stayApart(
      scene,
      ENDINGS.map((ending) => scene.name + ending),
    );
    await stayApart(
      scene,
      BEGINNINGS.map((beginning) => beginning + scene.name),
    );
  }),

  contractCase('F92 names that differ in case stay apart', async (scene) => {
    await stayApart(scene, [`${scene.name}job`, `${scene.name}Job`, `${scene.name}JOB`]);
  }),

  contractCase('F18 names that look alike stay apart', async (scene) => {
    await stayApart(scene, [`${scene.name}A`, `${scene.name}\u0410`, `${scene.name}\uff21`]);
  }),

  contractCase('F95 locks named like properties of every object stay apart', async (scene) => {
    await stayApart(scene, ['__proto__', 'constructor', 'toString', 'hasOwnProperty', scene.name]);
  }),

  contractCase('F84 a holder name that looks like a number or like JSON is reported unchanged', async (scene) => {
    for (const lockedBy of READ_AS_OTHERS) {
      const lease = await scene.grant({ lockedBy });
      expectFields((await scene.refuse('locked')).holder, { lockedBy }, 'holder');
      await scene.release(lease);
    }
  }),

  contractCase(
    'F84 an attempt id that looks like a number is recognised',
    async ({ claim, acquire, extend, release }) => {
      const asked = claim({ attemptId: '12e5' });
      const lease = expectGranted(await acquire(asked), 'acquire');
      const { fencingToken } = lease;
      expectFields(expectGranted(await acquire(asked), 'acquire replayed'), { fencingToken }, 'lease');
      expectSame((await extend(lease)).status, 'extended', 'extend');
      expectSame(await release(lease), 'released', 'release');
      expectSame(await release(lease), 'released', 'release replayed');
    },
  ),

  contractCase(
    'F84 an attempt whose id ends in a trace is recognised, and reported to calls that it refuses',
    async ({ claim, acquire, release, refuse }) => {
      const attemptId = `${newAttemptId()}.${'-'.repeat(64)}`;
      const asked = claim({ attemptId });
      const lease = expectGranted(await acquire(asked), 'acquire');
      const { fencingToken } = lease;
      expectFields(expectGranted(await acquire(asked), 'acquire replayed'), { fencingToken, attemptId }, 'lease');
      expectFields((await refuse('locked')).holder, { attemptId }, 'holder');
      expectSame(await release(lease), 'released', 'release');
    },
  ),

  contractCase('two names do not touch each other', async ({ grant, grantAndDie, run, refuse, release, extend }) => {
    const name = newAttemptId('c');
    await grantAndDie({ tickMs: TICK_MS });
    const lease = await run({ name, tickMs: TICK_MS });
    expectFields(await grant({ tickMs: TICK_MS }), { doneTickMs: undefined }, 'lease of the first name');
    await release(lease);
    await extend(lease);
    await refuse('locked');
    await refuse('already-executed', { name, tickMs: TICK_MS });
  }),

  ...REFUSED.map(([kind, name]) =>
    contractCase(`F18 a name ${kind} is refused as INVALID_NAME`, async ({ claim, acquire }) => {
      const expected = { name: 'LockStoreError', code: 'INVALID_NAME', operation: 'acquire', retryable: false };
      await expectRejection(acquire(claim({ name })), expected, 'acquire');
    }),
  ),

  adminCase("F18 an invalid name is refused as INVALID_NAME by every operator's verb", async (scene) => {
    const { admin, harness } = scene;
    const grant = { name: '', adminId: newAttemptId('o'), fencingToken: 1, lockedAtMs: TICK_MS, nowMs: TICK_MS };
    const asked = {
      get: () => admin.get('', harness.call()),
      forceRelease: () => admin.forceRelease(grant, harness.call()),
      pause: () => admin.pause('', { untilMs: TICK_MS, by: 'an operator' }, harness.call()),
      resume: () => admin.resume('', harness.call()),
      delete: () => admin.delete(grant, harness.call()),
      listTicks: () => admin.listTicks({ name: '', openTicks: ',', failedTicks: ',', seen: {} }, harness.call()),
    };
    for (const [verb, ask] of Object.entries(asked)) {
      await expectRejection(ask(), { name: 'LockStoreError', code: 'INVALID_NAME' }, verb);
    }
  }),

  adminCase('get and list give a name back as it was given', async ({ run, admin, harness, name: base }) => {
    const name = `${base}#b:c/ü {}%0A%25`;
    const { fencingToken } = await run({ name });
    const found = await admin.get(name, harness.call());
    expectFields(found, { name }, 'get');
    expectSame(found?.item['fencingToken'], fencingToken, 'token that get shows');
    const listed = (await admin.list(harness.call())).filter((lock) => lock.name === name);
    expectSame(listed.length, 1, 'times the name is listed');
    expectSame(listed[0]?.item['fencingToken'], fencingToken, 'token that list shows');
  }),

  adminCase('get of a name that was never used is undefined', async ({ admin, harness, name }) => {
    expectSame(await admin.get(name, harness.call()), undefined, 'get');
  }),
];

/** Acquires all names, and checks that each is held with the token of its own grant until it is released. */
async function stayApart({ claim, acquire, release, refuse }: Scene, names: readonly string[]): Promise<void> {
  const leases: Lease[] = [];
  for (const name of names) leases.push(expectGranted(await acquire(claim({ name })), `acquire of '${name}'`));
  for (const lease of leases) {
    const { name, fencingToken } = lease;
    expectFields((await refuse('locked', { name })).holder, { fencingToken }, `holder of '${name}'`);
    expectSame(await release(lease), 'released', `release of '${name}'`);
  }
}
