import type { ContractCase, ContractHarness } from 'single-execution/testing';

/** How many cases are played at a time: most of them wait for a lease to end. */
const LANES = 8;

/** The results of cases in a runtime in which Vitest does not run. */
export interface Played {
  readonly cases: number;
  readonly failed: readonly string[];
}

export async function playCases(
  cases: readonly Pick<ContractCase, 'name' | 'check'>[],
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
  return { cases: cases.length, failed };
}
