import type { KnipConfig } from 'knip';
import { DOORS } from './test/support/doors.js';

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [
        ...Object.values(DOORS).map((source) => source.replace('./', '')),
        'infra/app.ts',
        'infra/templates/sst/*.ts',
        'src/cli/console/page/main.tsx',
        'handlers/*.ts',
        'bench/*.{ts,mjs}',
        // The test bundles these around each example.
        'test/docs/restart/{main,held/*}.ts',
        'test/sim/{sim,worlds}.ts',
        'vitest.{mutation,proof,quick,versions}.config.ts',
      ],
      project: ['{src,test,demo,handlers,infra,bench,site}/**/*.{ts,tsx,mjs}', '*.{ts,mjs}'],
    },
    // The sets of packages: see test/support/package-sets.ts.
    'bench/systems': { entry: ['*.ts'] },
    site: {
      entry: ['.vitepress/{config,theme/index}.ts'],
      ignoreDependencies: ['typedoc-plugin-markdown'],
    },
    'test/clients': {
      entry: ['program.ts', '*.test.ts', '*.test-d.ts'],
      // Loaded by its name.
      ignoreDependencies: ['@azure/data-tables-13.0'],
    },
    'test/conformance': { entry: ['*.test.ts'] },
    'test/edge': { entry: ['*.test.ts', '*.worker.ts', 'program.ts'], ignoreDependencies: ['.+'] },
    'test/infra/templates': { entry: ['*.test.ts'], ignoreDependencies: ['.+'] },
    // Programs of tests import these by their names.
    'test/others': {
      entry: ['*.ts'],
      ignoreDependencies: ['@azure/.*', 'execa.*', 'proper-lockfile', 'signal-exit.*', 'write-file-.*'],
    },
    'test/package': { entry: ['*.test.ts', '{program,two-copies}.ts'], ignoreDependencies: ['.+'] },
    'test/types': { entry: ['*.test.ts', '*.test-d.ts'], ignoreDependencies: ['.+'] },
    'test/stores/dynamodb/agents': { entry: ['*.test.ts', 'program.ts'] },
    // A process of the test loads these.
    'test/firebase': { entry: ['*.test.ts', 'surroundings.mjs'], ignoreDependencies: ['.+'] },
    // Started, and told what to load first.
    'test/azurite': { entry: ['keep-idle.cjs'], ignoreDependencies: ['.+'] },
    // Loaded by their names, or started.
    'test/{clients-redis,clients/native,clients/prisma,copied-sdk,mutation,observe/runtime-client,oldest-*}': {
      ignoreDependencies: ['.+'],
    },
    'test/stores/dynamodb/agents/newrelic': { ignoreDependencies: ['.+'] },
  },
  ignoreDependencies: [
    // The name that a test gives the file of an example.
    'example',
    // Of users, and of the set test/others.
    '@azure/identity',
    '@humanwhocodes/upstash-redis-server',
    '@nestjs/common',
    '@nestjs/core',
    '@nestjs/schedule',
    'reflect-metadata',
    'rxjs',
  ],
  // Of util-linux.
  ignoreBinaries: ['mount', 'script', 'umount', 'unshare'],
  ignoreExportsUsedInFile: { interface: true, type: true },
};

export default config;
