import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectBetween, expectFields, expectRising, expectSame } from './stage/expectation.js';

const MINUTE_MS = 60_000;

export const tokenCases: readonly ContractCase[] = [
  contractCase('F80 F85 the first fencing token is about the time in epoch milliseconds', async ({ grant }) => {
    const { fencingToken, lockedAtMs } = await grant();
    expectBetween(fencingToken, lockedAtMs - MINUTE_MS, lockedAtMs + MINUTE_MS, 'fencing token');
  }),

  contractCase('F86 a fencing token is a safe integer', async ({ grant }) => {
    expectSame(Number.isSafeInteger((await grant()).fencingToken), true, 'fencing token is a safe integer');
  }),

  contractCase(
    'F85 a token of sixteen digits rises by one and is kept to the last digit',
    async ({ run, patch, grant, refuse, force, record }) => {
      await run();
      await patch({ fencingToken: 9_007_199_254_740_101 });
      const lease = await grant();
      expectSame(lease.fencingToken, 9_007_199_254_740_102, 'fencing token');
      expectFields((await refuse('locked')).holder, { fencingToken: 9_007_199_254_740_102 }, 'holder');
      await force(lease);
      expectFields(await record(), { fencingToken: 9_007_199_254_740_112 }, 'record');
    },
    ['admin', 'patch'],
  ),

  contractCase('F52 the fencing token rises over a release', async ({ run, grant }) => {
    const first = await run();
    expectRising([first.fencingToken, (await grant()).fencingToken], 'fencing tokens');
  }),

  contractCase('the fencing token rises over a failed run', async ({ run, grant }) => {
    const first = await run({}, { result: 'failed' });
    expectRising([first.fencingToken, (await grant()).fencingToken], 'fencing tokens');
  }),

  contractCase('the fencing token rises over a crash', async ({ grantAndDie, grant }) => {
    const first = await grantAndDie();
    expectRising([first.fencingToken, (await grant()).fencingToken], 'fencing tokens');
  }),

  adminCase('F61 the fencing token rises over a force release', async ({ grant, force }) => {
    const first = await grant();
    await force(first);
    expectRising([first.fencingToken, (await grant()).fencingToken], 'fencing tokens');
  }),

  contractCase('row 7: fencing tokens strictly rise over runs, failures and crashes', async (scene) => {
    const tokens: number[] = [];
    for (let round = 0; round < 8; round++) {
      tokens.push((await scene.run()).fencingToken);
      tokens.push((await scene.grantAndDie()).fencingToken);
      tokens.push((await scene.run({}, { result: 'failed' })).fencingToken);
    }
    expectRising(tokens, 'fencing tokens');
  }),

  contractCase('an extension keeps the fencing token', async ({ grant, extend, refuse }) => {
    const lease = await grant();
    await extend(lease);
    expectSame((await refuse('locked')).holder?.fencingToken, lease.fencingToken, 'fencing token');
  }),
];
