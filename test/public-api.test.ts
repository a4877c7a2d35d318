import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';

const DOORS: Readonly<Record<string, readonly string[]>> = {
  'single-execution': [
    'withSingleExecution',
    'executeWithLock',
    'acquireLock',
    'isSkipped',
    'currentExecution',
    'assertLocked',
    'parseDuration',
    'LockStoreError',
    'LockHeldError',
    'LockLostError',
    'DeadlineError',
    'CorruptLockError',
  ],
  'single-execution/dynamodb': ['dynamoDBStore', 'dynamoDBAdminStore', 'createLockTable'],
  'single-execution/redis': ['redisStore', 'redisAdminStore'],
  'single-execution/upstash': ['upstashStore', 'upstashAdminStore'],
  'single-execution/memory': ['memoryStore'],
  'single-execution/cloudflare': ['withSingleExecution'],
  'single-execution/http': ['withSingleExecution'],
  'single-execution/process': ['withSingleExecution'],
  'single-execution/leader': ['createLeaderElection', 'withLeadership'],
  'single-execution/admin': ['lockAdmin'],
  'single-execution/observe': ['emfObserver', 'jsonLogObserver'],
  'single-execution/cdk': ['LockTable', 'SingleExecutionFunction', 'LockDashboard', 'lockMetric'],
  'single-execution/testing': [
    'lockStoreContract',
    'manualClock',
    'faultyStore',
    'recordingObserver',
    'lambdaContext',
    'scheduledEvent',
    'schedulerEvent',
    'fakeLockTable',
  ],
};

const ROOT = new URL('../', import.meta.url);
const readJson = (path: string) => JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));

/** Source file of each door, as package.json exports it. */
const sources: Record<string, string> = {};
for (const [door, target] of Object.entries<string | { default: string }>(readJson('package.json').exports)) {
  if (typeof target === 'string') continue;
  sources[`single-execution${door.slice(1)}`] = target.default
    .replace(/\.js$/, '.ts')
    .replace('./dist/cdk/', './infra/constructs/')
    .replace('./dist/', './src/');
}

test('package.json exports these doors and no others', () => {
  expect(Object.keys(sources).sort()).toEqual(Object.keys(DOORS).sort());
});

test('tsconfig.json resolves every door to its source', () => {
  const paths = Object.fromEntries(Object.entries(sources).map(([door, source]) => [door, [source]]));

  expect(readJson('tsconfig.json').compilerOptions.paths).toEqual(paths);
});

describe.each(Object.entries(DOORS))('%s', (door, names) => {
  test('exports exactly what is documented', async () => {
    const exported = await import(fileURLToPath(new URL(sources[door] ?? '', ROOT)));

    expect(Object.keys(exported).sort()).toEqual([...names].sort());
  });
});

test.each([
  'single-execution',
  'single-execution/redis',
  'single-execution/upstash',
  'single-execution/memory',
  'single-execution/cloudflare',
  'single-execution/http',
  'single-execution/process',
  'single-execution/leader',
  'single-execution/admin',
  'single-execution/observe',
  'single-execution/testing',
])('row 65: %s loads without the AWS SDK, without Node modules and without any package', async (door) => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL(sources[door] ?? '', ROOT))],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    packages: 'external',
    logLevel: 'silent',
  });

  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  expect(imported.filter(({ external }) => external).map(({ path }) => path)).toEqual([]);
});
