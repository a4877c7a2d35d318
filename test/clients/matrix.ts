import { readFileSync } from 'node:fs';
import type { Played as PlayedCases } from '../stores/play-cases.js';
import type { SqlClient } from './sql-client.js';

/** A line of the matrix of clients and the contract. */
export interface Played extends PlayedCases {
  readonly client: string;
  readonly version: string;
}

interface Locked {
  /** The name in the registry, if the set calls it by another one. */
  readonly name?: string;
  readonly version: string;
}

/** Packages by their paths, from the lock files of the sets with clients and of the repository. */
const LOCKED = ['.', '../..', './native', './prisma', '../edge']
  .map((folder) => readFileSync(new URL(`${folder}/package-lock.json`, import.meta.url), 'utf8'))
  .map((text) => (JSON.parse(text) as { readonly packages: Readonly<Record<string, Locked>> }).packages);

function packageJson(alias: string): { readonly name: string; readonly version: string } {
  const path = `node_modules/${alias}`;
  const locked = LOCKED.find((packages) => path in packages)?.[path];
  if (locked === undefined) throw new Error(`no lock file has ${alias}`);
  return { name: locked.name ?? alias, version: locked.version };
}

/** The version of a client. */
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
