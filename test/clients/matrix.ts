import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SqlClient } from './sql-client.js';

/** A line of the matrix of clients and the contract. */
export interface Played {
  readonly client: string;
  readonly version: string;
  readonly cases: number;
  readonly failed: readonly string[];
}

type Named = Pick<SqlClient<never>, 'package' | 'kind' | 'runtime'>;

/** Folders with packages that a client can come from, the nearest first. */
const FOLDERS = ['node_modules', '../../node_modules'].map((path) => fileURLToPath(new URL(path, import.meta.url)));

/** The name of a client without its version, and the version that is installed. */
export function identityOf(which: Named, modules?: string): Pick<Played, 'client' | 'version'> {
  const file = [...(modules === undefined ? [] : [modules]), ...FOLDERS].map((folder) => `${folder}/${which.package}/package.json`).find((path) => existsSync(path));
  if (file === undefined) throw new Error(`${which.package} is not installed`);
  const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly name: string; readonly version: string };
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
  return all.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ').trimEnd()).join('\n');
}
