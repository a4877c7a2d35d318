import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

export const INFRA = ['cdk', 'sam', 'terraform', 'serverless', 'sst'] as const;

/** Facts of the project in a folder. */
export interface Project {
  readonly isTypeScript: boolean;
  readonly runner: 'vitest' | 'jest' | 'node:test';
  /** The folder of the tests: `test/`, or the project's folder itself. */
  readonly testFolder: 'test/' | '';
  /** Whether its `.ts` and `.js` files are ES modules. */
  readonly isModule: boolean;
  readonly infra: (typeof INFRA)[number];
  /** A name for a first job. */
  readonly name: string;
  /** The `main` of its package.json. */
  readonly main: string | undefined;
  /** Packages that its package.json lists. */
  readonly packages: ReadonlySet<string>;
}

export async function projectIn(folder: string): Promise<Project> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.map((entry) => entry.name);
  const manifest = await readJson(join(folder, 'package.json'));
  const { main } = manifest;
  const lists = [manifest['dependencies'], manifest['devDependencies'], manifest['peerDependencies']];
  const packages = new Set(lists.flatMap((list) => Object.keys(Object(list))));
  return {
    isTypeScript: files.includes('tsconfig.json') || packages.has('typescript'),
    runner: packages.has('vitest') ? 'vitest' : packages.has('jest') ? 'jest' : 'node:test',
    testFolder: entries.some((entry) => entry.isDirectory() && entry.name === 'test') ? 'test/' : '',
    isModule: manifest['type'] === 'module',
    infra: infraOf(files),
    name: jobNameOf(String(manifest['name'] ?? basename(folder))),
    main: typeof main === 'string' ? main : undefined,
    packages,
  };
}

function infraOf(files: readonly string[]): Project['infra'] {
  if (files.includes('cdk.json')) return 'cdk';
  if (files.some((file) => /^(samconfig\.toml|(.+\.)?template\.ya?ml)$/.test(file))) return 'sam';
  if (files.includes('sst.config.ts')) return 'sst';
  if (files.some((file) => /^(.+\.)?serverless\.(ya?ml|[cm]?[jt]s|json)$/.test(file))) return 'serverless';
  return files.some((file) => file.endsWith('.tf')) ? 'terraform' : 'cdk';
}

/** The name of a package or a folder as the name of a job. */
function jobNameOf(text: string): string {
  const name = text
    .toLowerCase()
    .replace(/^@[^/]*\//, '')
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return name || 'my-job';
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return Object(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    // The file is missing or cannot be read, so nothing is known about the project.
    return {};
  }
}
