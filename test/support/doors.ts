import { readFileSync } from 'node:fs';

interface Project {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly [string]>> };
}

const { compilerOptions } = JSON.parse(
  readFileSync(new URL('../../tsconfig.json', import.meta.url), 'utf8'),
) as Project;

/**
 * The source file of each public door, such as `./src/index.ts`, as tsconfig.json lists them. package.json exports the
 * same doors.
 */
export const DOORS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(compilerOptions.paths).map(([door, [source]]) => [door, source]),
);

/** Doors that import the AWS SDK or the CDK. */
const NEED_PACKAGES = ['single-execution/dynamodb', 'single-execution/cdk'];

/** The doors that need no other package, neither to run nor for their declarations. */
export const BARE_DOORS: readonly string[] = Object.keys(DOORS).filter((door) => !NEED_PACKAGES.includes(door));
