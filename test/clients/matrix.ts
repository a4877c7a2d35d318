import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ON_DEMAND } from './on-demand-versions.js';
import type { SqlClient } from './sql-client.js';

/** A line of the matrix of clients and the contract. */
export interface Played {
  readonly client: string;
  readonly version: string;
  readonly cases: number;
  readonly failed: readonly string[];
}

/** Folders with the packages of this workspace, the nearest first. */
const FOLDERS = ['node_modules', '../../node_modules'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

function packageJson(name: string): { readonly name: string; readonly version: string } {
  const version = ON_DEMAND[name];
  if (version !== undefined) return { name, version };
  const file = FOLDERS.map((folder) => `${folder}/${name}/package.json`).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${name} is not installed: npm ci`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** The version of a package of this workspace, or of one that is fetched on demand. */
export function versionOf(name: string): string {
  return packageJson(name).version;
}

export function identityOf(which: Pick<SqlClient<never>, 'package' | 'kind' | 'runtime'>) {
  const { name, version } = packageJson(which.package);
  const runtime = which.runtime === undefined ? '' : `, on ${which.runtime}`;
  return { client: `${name}: ${which.kind}${runtime}`, version };
}

/** The matrix as text, in the order of the clients' names. */
export function tableOf(lines: readonly Played[]): string {
  const rows = lines
    .map(({ client, version, cases, failed }) => [client, version, `${cases - failed.length} of ${cases}`] as const)
    .sort(([a], [b]) => a.localeCompare(b));
  const all = [['client', 'version', 'cases passed'] as const, ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join(' | ')
        .trimEnd(),
    )
    .join('\n');
}
