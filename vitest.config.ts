import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/runner/longest-first.js';
import { packageSets } from './test/runner/package-sets.plugin.js';
import { SlowestFiles } from './test/runner/slowest-files.js';
import { DOORS } from './test/support/doors.js';

/** The public doors, each resolved to its source, so that tests and handlers import what users import. */
const doors = Object.entries(DOORS).map(([door, source]) => ({
  find: new RegExp(`^${door}$`),
  replacement: fileURLToPath(new URL(source, import.meta.url)),
}));

export default defineConfig({
  resolve: { alias: doors },
  plugins: [packageSets()],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/**/*.proof.test.ts', 'test/model/**', '**/node_modules/**'],
    reporters: ['default', ...(process.env['GITHUB_ACTIONS'] ? ['github-actions'] : []), new SlowestFiles()],
    provide: { run: 'test' },
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/runner/dynamodb-local.global.ts', 'test/runner/run-folder.global.ts'],
    // A worker keeps the packages that it has loaded: the AWS SDK and the CDK take longer to load than most files to run.
    isolate: false,
    setupFiles: [
      'test/runner/fresh-file.setup.ts',
      'test/runner/properties.setup.ts',
      'test/runner/last-words.setup.ts',
    ],
    // Two more than there are cores: half of all time a test waits, and another worker has its core.
    maxWorkers: availableParallelism() + 2,
    // Of tests that wait much and work little. A worker takes it from its first file: a file can only ask for fewer.
    maxConcurrency: 8,
    // Ends what hangs, and no more: on a machine that is three times slower every test passes.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 60_000 } },
    unstubEnvs: true,
    unstubGlobals: true,
    env: {
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'local',
      HOSTNAME: '',
    },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'html', 'lcov'] },
  },
});
