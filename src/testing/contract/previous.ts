import { adminCase, type ContractCase, contractCase } from './stage/case.js';
import { expectFields } from './stage/expectation.js';
import { NEXT_TICK_MS, TICK_MS } from './stage/scene.js';

const CLAIM = { tickMs: TICK_MS, lockedBy: 'the one before' } as const;

export const previousCases: readonly ContractCase[] = [
  contractCase('a grant reports that the run before it succeeded', async ({ run, grant }) => {
    const { fencingToken, lockedAtMs } = await run(CLAIM);
    const { previous } = await grant({ tickMs: NEXT_TICK_MS });
    expectFields(previous, { status: 'succeeded', ...CLAIM, lockedAtMs, fencingToken }, 'previous run');
  }),

  contractCase('a grant reports that the run before it failed', async ({ run, grant }) => {
    const { fencingToken, lockedAtMs } = await run(CLAIM, { result: 'failed', error: 'TypeError' });
    const { previous } = await grant({ tickMs: TICK_MS });
    expectFields(previous, { status: 'failed', ...CLAIM, lockedAtMs, fencingToken }, 'previous run');
  }),

  contractCase('row 28: a grant reports that the run before it crashed', async ({ grantAndDie, grant }) => {
    const { fencingToken, lockedAtMs } = await grantAndDie(CLAIM);
    const { previous } = await grant({ tickMs: TICK_MS });
    expectFields(previous, { status: 'crashed', ...CLAIM, lockedAtMs, fencingToken }, 'previous run');
  }),

  adminCase('a grant reports that the run before it was forced to end, by its own token', async (scene) => {
    const lease = await scene.grant(CLAIM);
    await scene.force(lease);
    const { previous } = await scene.grant({ tickMs: TICK_MS });
    const { fencingToken, lockedAtMs } = lease;
    expectFields(previous, { status: 'forced', ...CLAIM, lockedAtMs, fencingToken }, 'previous run');
  }),

  contractCase('a crash after a success is reported as a crash', async ({ run, grantAndDie, grant }) => {
    await run();
    const { fencingToken } = await grantAndDie();
    expectFields((await grant()).previous, { status: 'crashed', fencingToken }, 'previous run');
  }),

  contractCase('a success after a crash is reported as a success', async ({ run, grantAndDie, grant }) => {
    await grantAndDie();
    const { fencingToken } = await run();
    expectFields((await grant()).previous, { status: 'succeeded', fencingToken }, 'previous run');
  }),

  contractCase('a run without a tick leaves none to the next one', async ({ run, grant }) => {
    await run({ tickMs: TICK_MS });
    await run();
    expectFields((await grant()).previous, { status: 'succeeded', tickMs: undefined }, 'previous run');
  }),

  contractCase(
    'F58 a run that is released after its lease does not count as a crash',
    async ({ grantAndDie, release, grant }) => {
      const { fencingToken, ...lease } = await grantAndDie();
      await release({ ...lease, fencingToken });
      expectFields((await grant()).previous, { status: 'succeeded', fencingToken }, 'previous run');
    },
  ),
];
