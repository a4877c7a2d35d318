import { Stack } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import type { IConstruct } from 'constructs';

export interface TableUse {
  /** `never`: the table is for locks alone. `other-items`: they may expire; no lock carries the attribute. */
  readonly timeToLive: 'never' | 'other-items';
}

/**
 * Has synthesis refuse a table on which locks would not hold: an eventually consistent global table, where two regions
 * can both take a lock, and a time to live that would delete locks or that strong consistency does not allow. Judges
 * the template as it is in the end, whoever changed it; a table that was imported is not known, and not judged.
 */
export function refuseUnsafeTable(table: IConstruct, { timeToLive }: TableUse): void {
  table.node.addValidation({ validate: () => problemsOf(table.node.defaultChild, timeToLive) });
}

function problemsOf(resource: IConstruct | undefined, timeToLive: TableUse['timeToLive']): string[] {
  if (!(resource instanceof CfnGlobalTable)) return [];
  const { multiRegionConsistency, timeToLiveSpecification } = resource;
  // CDK adds replicas late, so that they are a token until then.
  const replicas: unknown[] = Stack.of(resource).resolve(resource.replicas);
  const isStrong = multiRegionConsistency === 'STRONG';

  const problems: string[] = [];
  if (!isStrong && replicas.length > 1) {
    problems.push(
      "locks do not hold in an eventually consistent global table, where two regions can both take one; use a LockTable with multiRegion: 'strong', or a table of one region",
    );
  }
  if (timeToLiveSpecification !== undefined && isStrong) {
    problems.push('a strongly consistent global table has no time to live; remove timeToLiveSpecification');
  } else if (timeToLiveSpecification !== undefined && timeToLive === 'never') {
    problems.push(
      'a time to live would delete locks, and with them the memory of which ticks are done; remove timeToLiveSpecification',
    );
  }
  return problems;
}
