import { createRequire } from 'node:module';
import * as esModule from 'single-execution';
import { memoryStore } from 'single-execution/memory';

/*
 * A program that loads the library twice, as an ES module and as CommonJS. It prints what each copy sees of the runs of
 * the other copy.
 */

type Library = typeof esModule;

const commonJs: Library = createRequire(import.meta.url)('single-execution');
const options = { name: 'digest', store: memoryStore(), lockAtMostFor: '1m', observers: [] };

/** Calls the inner copy inside a run of the outer copy. @returns what each copy sees of the other's run */
async function seen(outer: Library, inner: Library) {
  const nested = await outer.executeWithLock(
    async (execution) => ({
      isCurrent: inner.currentExecution() === execution,
      inner: (await inner.executeWithLock(() => inner.assertLocked('digest'), options)).status,
    }),
    options,
  );
  const lost = new inner.LockLostError('digest', 'its lease is over');
  return {
    nested,
    isError: lost instanceof outer.LockLostError,
    isAnother: lost instanceof outer.LockHeldError,
  };
}

process.stdout.write(
  JSON.stringify({
    areTwo: esModule.LockLostError !== commonJs.LockLostError,
    fromEsModule: await seen(esModule, commonJs),
    fromCommonJs: await seen(commonJs, esModule),
  }),
);
