import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { BARE_DOORS, DOORS } from './support/doors.js';

/** What each door exports: a name that is added or taken away changes this list too. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
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
  'single-execution/store': ['compareAndSwapStore'],
  'single-execution/postgres': ['createPostgresTable', 'postgresStore', 'postgresTable'],
  'single-execution/sqlite': ['createSqliteTable', 'sqliteStore', 'sqliteTable'],
  'single-execution/cloudflare': ['withSingleExecution'],
  'single-execution/http': ['withSingleExecution'],
  'single-execution/process': ['nodeCronCoordinator', 'withSingleExecution'],
  'single-execution/leader': ['createLeaderElection', 'withLeadership'],
  'single-execution/admin': ['lockAdmin'],
  'single-execution/observe': ['checkInObserver', 'emfObserver', 'jsonLogObserver', 'loggerObserver', 'otelObserver'],
  'single-execution/schedule': ['cron', 'eventBridge', 'rate', 'scheduleFromEnvironment'],
  'single-execution/middy': ['singleExecution'],
  'single-execution/decorator': ['SingleExecution'],
  'single-execution/cdk': [
    'LockAlarmLevel',
    'LockDashboard',
    'LockTable',
    'SingleExecution',
    'SingleExecutionFunction',
    'lockMetric',
  ],
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

test('these are the doors and no others', () => {
  expect(Object.keys(DOORS).sort()).toEqual(Object.keys(NAMES).sort());
});

test('package.json exports an ES module and a CommonJS one of each door', () => {
  const files = Object.keys(DOORS).map((door) => {
    const name = door.split('/')[1];
    const file = `./dist/${name ?? 'index'}`;
    return [name ? `./${name}` : '.', { import: `${file}.js`, require: `${file}.cjs` }];
  });

  expect(readJson('package.json').exports).toEqual({
    ...Object.fromEntries(files),
    './package.json': './package.json',
  });
});

describe.each(Object.entries(NAMES))('%s', (door, names) => {
  test('exports exactly what is documented', async () => {
    const exported = await import(fileURLToPath(new URL(DOORS[door] ?? '', ROOT)));

    expect(Object.keys(exported).sort()).toEqual([...names].sort());
  });
});

test.each(BARE_DOORS)(
  'row 65: %s loads without the AWS SDK, without Node modules and without any package',
  async (door) => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL(DOORS[door] ?? '', ROOT))],
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
  },
);
