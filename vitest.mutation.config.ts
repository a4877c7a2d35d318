import { dirname } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import wholeSuite from './vitest.config.js';
import quickSuite from './vitest.quick.config.js';

/**
 * A mutant's run ends with the first test that fails: first the tests named after the mutated file, then those in its
 * folder, then the rest; of each the short files first.
 */
class LikelyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, related = [] } = this.ctx.config;
    const mirrored = related.map((path) => path.replace(`${root}/src/`, `${root}/test/`).replace(/\.ts$/, ''));
    const distance = ({ moduleId }: TestSpecification): number => {
      if (mirrored.some((path) => moduleId.startsWith(path))) return 0;
      return mirrored.some((path) => dirname(moduleId) === dirname(path)) ? 1 : 2;
    };
    const shortFirst = (await super.sort(files)).reverse();
    return shortFirst.sort((a, b) => distance(a) - distance(b));
  }
}

/**
 * The tests that `npm run mutation` runs against each mutant: those that start no server and no process, and those over
 * the DynamoDB Local that all files share.
 */
export default defineConfig({
  ...quickSuite,
  test: {
    ...quickSuite.test,
    include: [...(quickSuite.test?.include ?? []), 'test/{admin,stores/dynamodb}/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      'test/**/*.proof.test.ts',
      'test/stores/dynamodb/{contract,faults}.test.ts',
      'test/{operate,schedule}/**',
    ],
    globalSetup: wholeSuite.test?.globalSetup ?? [],
    sequence: { sequencer: LikelyFirst },
  },
});
