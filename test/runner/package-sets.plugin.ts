import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vitest/config';
import { installed, PACKAGE_SETS, type PackageSet } from '../support/package-sets.js';

const ROOT = join(import.meta.dirname, '../..');
/** The inner sets first. */
const SETS = [...PACKAGE_SETS]
  .sort()
  .reverse()
  .map((set) => ({ set, names: namesOf(set) }));

/** Installs a set before a file of its folder imports one of its packages. */
export function packageSets(): Plugin {
  return {
    name: 'package-sets',
    enforce: 'pre',
    async resolveId(source, importer) {
      const found = SETS.find(({ set, names }) => importer?.startsWith(join(ROOT, set, '/')) && imports(source, names));
      if (found) await installed(found.set);
      return null;
    },
  };
}

const imports = (source: string, names: readonly string[]): boolean =>
  names.some((name) => source === name || source.startsWith(`${name}/`));

function namesOf(set: PackageSet): string[] {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(ROOT, set, 'package.json'), 'utf8'),
  );
  return Object.keys({ ...dependencies, ...optionalDependencies });
}
