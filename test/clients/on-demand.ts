import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { CACHE, madeOnce } from '../support/node-binary.js';
import { versionOf } from './matrix.js';
import { ON_DEMAND } from './on-demand-versions.js';

/*
 * Fetches packages from npm once, into a cache that `npm ci` removes.
 */

const run = promisify(execFile);

const fetched = (name: string) => `${name}@${ON_DEMAND[name]}`;
/** Packages that are compiled. Knex loads better-sqlite3 itself, so it needs a copy beside it. */
const NATIVE = [...['better-sqlite3', 'sqlite3'].map(fetched), `knex@${versionOf('knex')}`];
const PRISMA = ['prisma', '@prisma/client', '@prisma/adapter-pg'].map(fetched);

const SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "../generated"
}
datasource db {
  provider = "postgresql"
}
`;
const CONFIG = `import { defineConfig } from 'prisma/config';
export default defineConfig({ schema: 'prisma/schema.prisma', datasource: { url: 'postgres://127.0.0.1/unused' } });
`;

/**
 * Packages over native code of SQLite, compiled for this Node with its own headers: their ready binaries are on GitHub.
 * The first call compiles for a minute or two.
 *
 * @returns the function that loads them
 */
export async function nativePackages(): Promise<NodeJS.Require> {
  const folder = join(CACHE, `native-sqlite-${process.versions.modules}`);
  await madeOnce(folder, async (draft) => {
    await install(NATIVE, draft);
    const gyp = createRequire(await npmFolder()).resolve('node-gyp/bin/node-gyp.js');
    const headers = dirname(dirname(process.execPath));
    for (const name of ['better-sqlite3', 'sqlite3']) {
      const cwd = join(draft, 'node_modules', name);
      await run(process.execPath, [gyp, 'rebuild', '--release', `--nodedir=${headers}`], { cwd, maxBuffer: 2 ** 27 });
    }
  });
  return createRequire(join(folder, 'package.json'));
}

/** Prisma's client and its adapter over pg, generated for an empty schema. */
export async function prismaPackages(): Promise<PrismaPackages> {
  const folder = join(CACHE, `prisma-${ON_DEMAND['prisma']}`);
  await madeOnce(folder, async (draft) => {
    await install(PRISMA, draft);
    await mkdir(join(draft, 'prisma'));
    await writeFile(join(draft, 'prisma/schema.prisma'), SCHEMA);
    await writeFile(join(draft, 'prisma.config.ts'), CONFIG);
    // `generate` would download an engine that it does not use.
    const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
    await run(process.execPath, [join(draft, 'node_modules/prisma/build/index.js'), 'generate'], { cwd: draft, env });
    await build({
      stdin: {
        contents: "export * from './generated/client.ts'; export { PrismaPg } from '@prisma/adapter-pg';",
        resolveDir: draft,
      },
      outfile: join(draft, 'client.mjs'),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
  });
  return import(join(folder, 'client.mjs'));
}

export interface PrismaPackages {
  readonly PrismaClient: new (options: object) => PrismaClient;
  readonly PrismaPg: new (options: { connectionString: string }) => object;
}

export interface PrismaClient {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): Promise<T>;
  $executeRawUnsafe(text: string, ...values: unknown[]): Promise<number>;
  $transaction<T>(work: (transaction: PrismaClient) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}

async function install(packages: readonly string[], folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], { cwd: folder });
}

async function npmFolder(): Promise<string> {
  const { stdout } = await run('npm', ['root', '--global']);
  return join(stdout.trim(), 'npm/package.json');
}
