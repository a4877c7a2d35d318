import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { CACHE, madeOnce } from '../support/node-binary.js';

/*
 * Packages that no `npm ci` should wait for. The proof fetches them from npm once, into a cache that `npm ci` removes.
 */

const run = promisify(execFile);

const NATIVE = ['better-sqlite3@12.11.1', 'sqlite3@6.0.1', 'sqlite@5.1.1', 'knex@3.3.0'];
const PRISMA = ['prisma@7.10.1', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.1'];

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
 * @returns their folder, and the function that loads them
 */
export async function nativePackages(): Promise<{ readonly modules: string; readonly load: NodeJS.Require }> {
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
  return { modules: join(folder, 'node_modules'), load: createRequire(join(folder, 'package.json')) };
}

/** Prisma's client and its adapter over pg, generated for an empty schema. */
export async function prismaPackages(): Promise<PrismaPackages> {
  const folder = join(CACHE, 'prisma-7.10.1');
  await madeOnce(folder, async (draft) => {
    await install(PRISMA, draft);
    await run('mkdir', ['-p', join(draft, 'prisma')]);
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
  const loaded = (await import(join(folder, 'client.mjs'))) as Omit<PrismaPackages, 'modules'>;
  return { ...loaded, modules: join(folder, 'node_modules') };
}

export interface PrismaPackages {
  readonly modules: string;
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
