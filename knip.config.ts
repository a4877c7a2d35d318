import type { KnipConfig } from 'knip';
import { DOORS } from './test/support/doors.js';

const config: KnipConfig = {
  workspaces: {
    '.': {
      entry: [
        ...Object.values(DOORS).map((source) => source.replace('./', '')),
        'infra/app.ts',
        'infra/templates/sst/*.ts',
        'site/.vitepress/{config,theme/index}.ts',
        'src/cli/console/page/main.tsx',
        'handlers/*.ts',
        'bench/*.{ts,mjs}',
        'bench/systems/*.ts',
        'test/package/{program,two-copies}.ts',
        // The test bundles these around each example.
        'test/docs/restart/{main,held/*}.ts',
        'test/sim/{sim,worlds}.ts',
        'test/**/*.test-d.ts',
        'vitest.{mutation,proof,quick,versions}.config.ts',
      ],
      project: ['{src,test,demo,handlers,infra,bench,site}/**/*.{ts,tsx,mjs}', '*.{ts,mjs}'],
    },
    'test/clients': { entry: ['program.ts', '*.test.ts', '*.test-d.ts'] },
    'test/copied-sdk': { ignoreDependencies: ['.+'] },
    'test/oldest-cdk': { ignoreDependencies: ['.+'] },
    'test/clients-redis': { ignoreDependencies: ['.+'] },
    'test/oldest-sdk': { ignoreDependencies: ['.+'] },
    'test/others': {
      entry: ['*.ts'],
      // Programs of tests import these by their names.
      ignoreDependencies: ['execa-6', 'execa-7', 'proper-lockfile', 'signal-exit-3', 'write-file-atomic-3'],
    },
  },
  ignoreDependencies: [
    // The name that a test gives the file of an example.
    'example',
    // Started as a program.
    'azurite',
    '@cdktf/hcl2json',
    '@humanwhocodes/upstash-redis-server',
    '@nestjs/common',
    '@nestjs/core',
    '@nestjs/schedule',
    // Of the workspace test/clients.
    '@planetscale/database',
    '@swc/jest',
    'bun',
    'jest',
    'osls',
    'reflect-metadata',
    'rxjs',
    'signal-exit',
    'ts-jest',
    'typedoc-plugin-markdown',
    'webpack',
  ],
  // Of util-linux.
  ignoreBinaries: ['mount', 'script', 'umount', 'unshare'],
  ignoreExportsUsedInFile: { interface: true, type: true },
};

export default config;
