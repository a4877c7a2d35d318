import { readFileSync } from 'node:fs';
import type { ContractCase, ContractHarness } from 'single-execution/testing';
import type { SqlClient } from './sql-client.js';

/** How many cases of one client are played at a time: most of them wait for a lease to end. */
const LANES = 8;

/** A line of the matrix of clients and the contract. */
export interface Played {
  readonly client: string;
  readonly version: string;
  readonly cases: number;
  readonly failed: readonly string[];
}

/** Plays all cases. */
export async function played(
  { package: name, kind }: Pick<SqlClient<never>, 'package' | 'kind'>,
  cases: readonly ContractCase[],
  harness: ContractHarness,
): Promise<Played> {
  const failed: string[] = [];
  const left = cases.values();
  const lane = async () => {
    for (const { name, check } of left) {
      await check(harness).catch((error: Error) => failed.push(`${name}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { ...identity(name, kind), cases: cases.length, failed };
}

/** The name of a package without its version, and the version that is installed. */
export function identity(alias: string, kind?: string): Pick<Played, 'client' | 'version'> {
  const folder = [`node_modules/${alias}`, `../../node_modules/${alias}`];
  for (const path of folder) {
    try {
      const file = new URL(`${path}/package.json`, import.meta.url);
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string };
      return { client: kind === undefined ? name : `${name}, ${kind}`, version };
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`${alias} is not installed`);
}

/** The matrix as text. */
export function tableOf(lines: readonly Played[]): string {
  const rows = lines.map(({ client, version, cases, failed }) => [
    client,
    version,
    `${cases - failed.length} of ${cases}`,
  ]);
  const all = [['client', 'version', 'cases passed'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)).join(' | ')).join('\n');
}
