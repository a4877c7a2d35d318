import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

interface Door {
  readonly default: string;
}

const { exports } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as {
  exports: Record<string, Door | string>;
};

/** The source that a file of dist is built from. */
const sourceOf = (built: string): string =>
  built.replace(/\.js$/, '.ts').replace('./dist/cdk/', './infra/constructs/').replace('./dist/', './src/');

/** The public doors, each resolved to its source, so that tests and handlers import what users import. */
const doors = Object.entries(exports).flatMap(([door, target]) =>
  typeof target === 'string'
    ? []
    : [
        {
          find: new RegExp(`^single-execution${door.slice(1)}$`),
          replacement: fileURLToPath(new URL(sourceOf(target.default), import.meta.url)),
        },
      ],
);

export default defineConfig({
  resolve: { alias: doors },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/model/**', 'node_modules/**'],
    globalSetup: ['test/support/dynamodb-local.global.ts'],
    // One core more than by default: much of a test on a real engine is to wait.
    maxWorkers: availableParallelism(),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    unstubEnvs: true,
    unstubGlobals: true,
    env: {
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'local',
      HOSTNAME: '',
    },
    typecheck: { enabled: true, include: ['test/**/*.test-d.ts'], tsconfig: './tsconfig.json' },
    coverage: { provider: 'v8', include: ['src/**/*.ts'], reporter: ['text', 'html', 'lcov'] },
  },
});
