import { CfnResource, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export interface TableUse {
  /** `never`: the table is for locks alone. `other-items`: they may expire; no lock carries the attribute. */
  readonly timeToLive: 'never' | 'other-items';
}

/** What of a table's resource is judged, as CloudFormation knows it. */
interface TableProperties {
  readonly Replicas?: readonly unknown[];
  readonly MultiRegionConsistency?: string;
  readonly GlobalTableSourceArn?: unknown;
  readonly TimeToLiveSpecification?: unknown;
}

/** How CDK makes the replicas of the older `Table`. */
const REPLICA_OF_TABLE = 'Custom::DynamoDBReplica';

/**
 * Has synthesis refuse a table on which locks would not hold: an eventually consistent global table, where two regions
 * can both take a lock, and a time to live that would delete locks or that strong consistency does not allow. Judges
 * the template as it is in the end, whoever changed it; a table that was imported is not known, and not judged.
 */
export function refuseUnsafeTable(table: IConstruct, { timeToLive }: TableUse): void {
  const owner = ownerOf(table);
  if (owner) owner.node.addValidation({ validate: () => problemsOf(owner, timeToLive) });
}

/** The table itself, or the one that it is a replica of; undefined when it was imported. */
function ownerOf(table: IConstruct): IConstruct | undefined {
  return [table, table.node.scope].find((it) => /^AWS::DynamoDB::(Global)?Table$/.test(typeOf(it?.node.defaultChild)));
}

function typeOf(resource: IConstruct | undefined): string {
  return resource && CfnResource.isCfnResource(resource) ? resource.cfnResourceType : '';
}

function problemsOf(table: IConstruct, timeToLive: TableUse['timeToLive']): string[] {
  const { Replicas = [], MultiRegionConsistency, ...own } = propertiesOf(table.node.defaultChild);
  const isStrong = MultiRegionConsistency === 'STRONG';
  const isReplicated =
    Replicas.length > 1 || own.GlobalTableSourceArn !== undefined || table.node.findAll().some(isReplicaOfTable);

  const problems: string[] = [];
  if (isReplicated && !isStrong) {
    problems.push(
      "locks do not hold in an eventually consistent global table, where two regions can both take one; use a LockTable with multiRegion: 'strong', or a table of one region",
    );
  }
  if (own.TimeToLiveSpecification !== undefined && isStrong) {
    problems.push('a strongly consistent global table has no time to live; remove timeToLiveSpecification');
  } else if (own.TimeToLiveSpecification !== undefined && timeToLive === 'never') {
    problems.push(
      'a time to live would delete locks, and with them the memory of which ticks are done; remove timeToLiveSpecification',
    );
  }
  return problems;
}

const isReplicaOfTable = (construct: IConstruct): boolean => typeOf(construct) === REPLICA_OF_TABLE;

/** With what was overridden, which only the rendered resource shows. */
function propertiesOf(resource: IConstruct | undefined): TableProperties {
  if (!resource || !CfnResource.isCfnResource(resource)) return {};
  const rendered = (resource as unknown as { _toCloudFormation(): object })._toCloudFormation();
  const { Resources } = Stack.of(resource).resolve(rendered);
  const [{ Properties = {} }] = Object.values<{ readonly Properties?: TableProperties }>(Resources) as [
    { readonly Properties?: TableProperties },
  ];
  return Properties;
}
