import { basename } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import wholeSuite from './vitest.config.js';

/** A mutant's run ends with the first test that fails: first the mutated file's own tests, then the short files. */
class LikelyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const mutated = (this.ctx.config.related ?? []).map((path) => basename(path, '.ts'));
    const isOwn = ({ moduleId }: TestSpecification) => mutated.some((name) => basename(moduleId).startsWith(name));
    const shortFirst = (await super.sort(files)).reverse();
    return [...shortFirst.filter(isOwn), ...shortFirst.filter((file) => !isOwn(file))];
  }
}

/** The tests that `npm run mutation` runs against each mutant: the quick ones. */
export default defineConfig({
  ...wholeSuite,
  test: {
    ...wholeSuite.test,
    include: ['test/{core,stores,leader,adapters,admin}/**/*.test.ts'],
    exclude: [
      'test/stores/{equality,dynamodb/contract,dynamodb/faults,redis/*}.test.ts',
      'test/**/{election-fuzz,process-shutdown*}.test.ts',
    ],
    typecheck: { enabled: false },
    testTimeout: 10_000,
    // One thread for all files of a run; the next run has a new one.
    isolate: false,
    sequence: { sequencer: LikelyFirst },
  },
});
