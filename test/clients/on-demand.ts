import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { preparedPackages } from '../support/package-sets.js';

const run = promisify(execFile);

const SCHEMA = `generator client {
  provider = "prisma-client"
  output   = "../generated"
}
datasource db {
  provider = "PROVIDER"
}
`;
const CONFIG = `import { defineConfig } from 'prisma/config';
export default defineConfig({ schema: 'prisma/schema.prisma', datasource: { url: 'PROVIDER://127.0.0.1/unused' } });
`;
/** Prisma's adapters, and what it calls their databases. */
const PROVIDERS = { pg: 'postgresql', mariadb: 'mysql' } as const;

/**
 * A package over native code of SQLite, compiled for this Node with its own headers: its ready binaries are on GitHub.
 * The first call compiles for a minute or two. Knex loads `better-sqlite3` itself.
 *
 * @returns the function that loads it, and what stands beside it
 */
export function nativePackages(name: 'better-sqlite3' | 'sqlite3'): Promise<NodeJS.Require> {
  return preparedPackages('test/clients/native', `${name}-for-${process.versions.modules}`, async (folder) => {
    const gyp = createRequire(await npmFolder()).resolve('node-gyp/bin/node-gyp.js');
    const headers = dirname(dirname(process.execPath));
    const cwd = join(folder, 'node_modules', name);
    await run(process.execPath, [gyp, 'rebuild', '--release', `--nodedir=${headers}`], { cwd, maxBuffer: 2 ** 27 });
  });
}

/** Prisma's client and its adapter over a driver, generated for an empty schema. */
export async function prismaPackages(driver: keyof typeof PROVIDERS): Promise<PrismaPackages> {
  const load = await preparedPackages('test/clients/prisma', `client-${driver}`, async (folder) => {
    const made = join(folder, `node_modules/.made-${driver}`);
    await mkdir(join(made, 'prisma'), { recursive: true });
    const provider = PROVIDERS[driver];
    await writeFile(join(made, 'prisma/schema.prisma'), SCHEMA.replace('PROVIDER', provider));
    await writeFile(join(made, 'prisma.config.ts'), CONFIG.replace('PROVIDER', provider));
    // `generate` would download an engine that it does not use.
    const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
    await run(process.execPath, [join(folder, 'node_modules/prisma/build/index.js'), 'generate'], { cwd: made, env });
    await build({
      stdin: {
        contents: `export * from './generated/client.ts'; export * from '@prisma/adapter-${driver}';`,
        resolveDir: made,
      },
      outfile: join(made, 'client.mjs'),
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
  });
  return import(load.resolve(`./node_modules/.made-${driver}/client.mjs`));
}

export interface PrismaPackages {
  readonly PrismaClient: new (options: object) => PrismaClient;
  readonly PrismaPg: new (options: { connectionString: string }) => object;
  readonly PrismaMariaDb: new (url: string) => object;
}

export interface PrismaClient {
  $queryRawUnsafe<T>(text: string, ...values: unknown[]): Promise<T>;
  $executeRawUnsafe(text: string, ...values: unknown[]): Promise<number>;
  $transaction<T>(work: (transaction: PrismaClient) => Promise<T>): Promise<T>;
  $disconnect(): Promise<void>;
}

async function npmFolder(): Promise<string> {
  const { stdout } = await run('npm', ['root', '--global']);
  return join(stdout.trim(), 'npm/package.json');
}
