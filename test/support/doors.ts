import { readFileSync } from 'node:fs';

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly default: string } | string>>;
}

const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Manifest;

/** The source file that each public door is built from, such as `./src/index.ts`; package.json alone lists the doors. */
export const DOORS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(exports).flatMap(([door, target]) =>
    typeof target === 'string' ? [] : [[`single-execution${door.slice(1)}`, sourceOf(target.default)]],
  ),
);

/** They import the AWS SDK and the CDK. */
const NEED_PACKAGES = ['single-execution/dynamodb', 'single-execution/cdk'];

/** The doors that need no other package, neither to run nor for their declarations. */
export const BARE_DOORS: readonly string[] = Object.keys(DOORS).filter((door) => !NEED_PACKAGES.includes(door));

function sourceOf(built: string): string {
  return built.replace(/\.js$/, '.ts').replace('./dist/cdk/', './').replace('./dist/', './src/');
}
