import { readFileSync } from 'node:fs';

interface Project {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly [string]>> };
}

const { compilerOptions } = JSON.parse(
  readFileSync(new URL('../../tsconfig.json', import.meta.url), 'utf8'),
) as Project;

/**
 * The source file that each public door is built from, such as `./src/index.ts`, as tsconfig.json lists them.
 * package.json exports the files of the same doors.
 */
export const DOORS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(compilerOptions.paths).map(([door, [source]]) => [door, source]),
);

/** They import the AWS SDK and the CDK. */
const NEED_PACKAGES = ['single-execution/dynamodb', 'single-execution/cdk'];

/** The doors that need no other package, neither to run nor for their declarations. */
export const BARE_DOORS: readonly string[] = Object.keys(DOORS).filter((door) => !NEED_PACKAGES.includes(door));
