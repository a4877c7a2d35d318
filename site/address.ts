import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

interface Manifest {
  readonly description: string;
  readonly version: string;
  readonly homepage?: string;
  readonly repository?: { readonly url: string };
}

export const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** Where the site will be, with a slash at its end. Without `homepage` it is built for the root of any host. */
export const HOME = manifest.homepage?.replace(/\/?$/, '/');

/** The part of that address after the host. */
export const BASE = HOME ? new URL(HOME).pathname : '/';

/** Where a file of the repository can be read; undefined as long as package.json has no `repository`. */
export function sourceOf(path: string): string | undefined {
  const url = manifest.repository?.url.replace(/^git\+/, '').replace(/\.git$/, '');
  return url && `${url}/blob/main/${path}`;
}
