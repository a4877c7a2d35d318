import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundledProgram } from '../support/bundled-program.js';
import { installed } from '../support/package-sets.js';
import * as newestLibrary from './library.js';

export type Library = typeof newestLibrary;

/** `copied`: a version of the AWS SDK in a tree with several copies of its core, where errors lose their names. */
export type ClientAge = 'oldest' | 'newest' | 'copied';

/** The set of packages of each age but the newest, whose clients the library is built with. */
const SETS = { oldest: 'test/oldest-sdk', copied: 'test/copied-sdk' } as const;

function dependenciesOf(age: keyof typeof SETS): Readonly<Record<string, string>> {
  const file = readFileSync(new URL(`../../${SETS[age]}/package.json`, import.meta.url), 'utf8');
  return (JSON.parse(file) as { readonly dependencies: Readonly<Record<string, string>> }).dependencies;
}

/** Packages that replace the clients of the library's own build, with their paths. */
export async function clientsOf(age: ClientAge): Promise<Record<string, string>> {
  if (age === 'newest') return {};
  const folder = await installed(SETS[age]);
  // What else a set names serves its clients.
  const names = Object.keys(dependenciesOf(age)).filter((name) => !/^@smithy\/|^@aws-sdk\/core$/.test(name));
  return Object.fromEntries(names.map((name) => [name, join(folder, 'node_modules', name)]));
}

/** The library with the clients of another age, or with the clients that it is built with. */
export async function libraryOn(age: ClientAge): Promise<Library> {
  if (age === 'newest') return newestLibrary;
  const bundle = await bundledProgram(new URL('./library.ts', import.meta.url), await clientsOf(age));
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(bundle.path).href)) as Library;
  } finally {
    await bundle.remove();
  }
}

/** The names of the clients of each age in the headers of their requests. */
export const CLIENT_NAMES: Readonly<Record<keyof typeof SETS, readonly string[]>> = {
  oldest: [
    `aws-sdk-js/${dependenciesOf('oldest')['@aws-sdk/client-dynamodb']}`,
    `@upstash/redis@v${dependenciesOf('oldest')['@upstash/redis']}`,
  ],
  copied: [`aws-sdk-js/${dependenciesOf('copied')['@aws-sdk/client-dynamodb']}`],
};
