import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundledProgram } from '../support/bundled-program.js';
import * as newestLibrary from './library.js';

export type Library = typeof newestLibrary;

export type ClientAge = 'oldest' | 'newest';

const OLDEST = new URL('../oldest-sdk/', import.meta.url);
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', OLDEST), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** Packages that replace the clients of the library's own build, with their paths. */
export function clientsOf(age: ClientAge): Record<string, string> {
  const names = age === 'newest' ? [] : Object.keys(dependencies);
  return Object.fromEntries(names.map((name) => [name, fileURLToPath(new URL(`node_modules/${name}`, OLDEST))]));
}

/** The library with the oldest clients that it supports, or with the clients that it is built with. */
export async function libraryOn(age: ClientAge): Promise<Library> {
  if (age === 'newest') return newestLibrary;
  const bundle = await bundledProgram(new URL('./library.ts', import.meta.url), clientsOf(age));
  try {
    return (await import(/* @vite-ignore */ pathToFileURL(bundle.path).href)) as Library;
  } finally {
    await bundle.remove();
  }
}

/** The names of the oldest clients in the headers of their requests. */
export const OLDEST_CLIENTS = {
  dynamodb: `aws-sdk-js/${dependencies['@aws-sdk/client-dynamodb']}`,
  upstash: `@upstash/redis@v${dependencies['@upstash/redis']}`,
} as const;
