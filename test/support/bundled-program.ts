import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Packages that NestJS loads only if they are installed. */
const NEST_OPTIONAL = [
  'class-transformer',
  'class-validator',
  ...['microservices', 'platform-express', 'websockets'].flatMap((name) => [`@nestjs/${name}`, `@nestjs/${name}/*`]),
];

export interface BundledProgram {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * Bundles a program of the tests into one file with everything that it imports, so that it starts in a fraction of a
 * second.
 *
 * @param alias packages to replace, each with the path of its replacement
 * @param external packages that the program can do without
 */
export async function bundledProgram(
  source: URL,
  alias: Record<string, string> = {},
  external: string[] = [],
): Promise<BundledProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'single-execution-program-'));
  const path = join(folder, 'program.mjs');
  // For a package with a native part, which is loaded when it is needed.
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  await build({
    entryPoints: [fileURLToPath(source)],
    outfile: path,
    tsconfig: join(ROOT, 'tsconfig.json'),
    bundle: true,
    alias,
    external: [...external, ...NEST_OPTIONAL, '@libsql/client'],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // CommonJS modules among the dependencies call `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'error',
  });
  return { path, remove: () => rm(folder, { recursive: true }) };
}
