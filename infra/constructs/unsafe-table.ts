import { CfnResource, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { indexConflict } from '../../src/core/values/record-attributes.js';

export interface TableUse {
  /**
   * Whether items may expire. `never`: the table holds only locks. `other-items`: items that are not locks may expire;
   * no lock has the time-to-live attribute.
   */
  readonly timeToLive: 'never' | 'other-items';
}

/** The properties of a table's resource that are checked. The older `Table` lacks the first three. */
interface TableProperties {
  readonly replicas?: readonly unknown[];
  readonly multiRegionConsistency?: string;
  readonly globalTableSourceArn?: unknown;
  readonly timeToLiveSpecification?: unknown;
  readonly keySchema?: readonly { readonly attributeName: string }[];
  readonly attributeDefinitions?: readonly { readonly attributeName: string; readonly attributeType: string }[];
  readonly globalSecondaryIndexes?: readonly IndexProperties[];
  readonly localSecondaryIndexes?: readonly IndexProperties[];
}

interface IndexProperties {
  readonly indexName: string;
  readonly keySchema: readonly { readonly attributeName: string }[];
}

/** The type of the resource with which CDK makes a replica of the older `Table`. */
const REPLICA_OF_TABLE = 'Custom::DynamoDBReplica';

/**
 * Makes synthesis refuse a table in which locks would not hold: an eventually consistent global table, where two
 * regions can both take a lock; keys that are not texts; an index whose key is an attribute of locks, of another type; a time to live that would delete locks, or that strong
 * consistency does not allow. The check reads the final properties, whoever set them. It sees neither raw overrides,
 * which CDK's public API does not show, nor an imported table.
 */
export function refuseUnsafeTable(table: IConstruct, { timeToLive }: TableUse): void {
  const owner = ownerOf(table);
  if (owner) owner.node.addValidation({ validate: () => problemsOf(owner, timeToLive) });
}

/**
 * Finds the table that has the resource: the table itself, or the table of which it is a replica; undefined for an
 * imported table.
 */
function ownerOf(table: IConstruct): IConstruct | undefined {
  return [table, table.node.scope].find((it) => /^AWS::DynamoDB::(Global)?Table$/.test(typeOf(it?.node.defaultChild)));
}

function typeOf(resource: IConstruct | undefined): string {
  return resource && CfnResource.isCfnResource(resource) ? resource.cfnResourceType : '';
}

function problemsOf(table: IConstruct, timeToLive: TableUse['timeToLive']): string[] {
  const { replicas = [], multiRegionConsistency, ...own } = propertiesOf(table);
  const isStrong = multiRegionConsistency === 'STRONG';
  const isReplicated =
    replicas.length > 1 || own.globalTableSourceArn !== undefined || table.node.findAll().some(isReplicaOfTable);

  const problems: string[] = [];
  const typeOfKey = (name: string) =>
    own.attributeDefinitions?.find(({ attributeName }) => attributeName === name)?.attributeType;
  for (const { attributeName } of own.keySchema ?? []) {
    const attributeType = typeOfKey(attributeName) ?? 'S';
    if (attributeType === 'S') continue;
    problems.push(
      `key '${attributeName}' is of type ${attributeType}, and the name of a lock is a text: use a table whose keys have AttributeType.STRING`,
    );
  }
  for (const { indexName, keySchema } of [
    ...(own.globalSecondaryIndexes ?? []),
    ...(own.localSecondaryIndexes ?? []),
  ]) {
    const keys = keySchema.map(({ attributeName: name }) => ({ name, type: typeOfKey(name) }));
    const { isFatal, problem } = indexConflict({ name: indexName, keys }) ?? {};
    if (isFatal) problems.push(`${problem}; use a table without this index, or an index of another attribute`);
  }
  if (isReplicated && !isStrong) {
    problems.push(
      'locks do not hold in an eventually consistent global table, where two regions can both take one; use a LockTable with MultiRegionConsistency.STRONG, or a table of one region',
    );
  }
  if (own.timeToLiveSpecification !== undefined && isStrong) {
    problems.push('a strongly consistent global table has no time to live; remove timeToLiveSpecification');
  } else if (own.timeToLiveSpecification !== undefined && timeToLive === 'never') {
    problems.push(
      'a time to live would delete locks, and with them the memory of which ticks are done; remove timeToLiveSpecification',
    );
  }
  return problems;
}

const isReplicaOfTable = (construct: IConstruct): boolean => typeOf(construct) === REPLICA_OF_TABLE;

/** Reads the properties of a table, with their lazy values resolved. */
function propertiesOf(table: IConstruct): TableProperties {
  const resource = table.node.defaultChild as IConstruct & TableProperties;
  return Stack.of(table).resolve({
    replicas: resource.replicas,
    multiRegionConsistency: resource.multiRegionConsistency,
    globalTableSourceArn: resource.globalTableSourceArn,
    timeToLiveSpecification: resource.timeToLiveSpecification,
    keySchema: resource.keySchema,
    attributeDefinitions: resource.attributeDefinitions,
    globalSecondaryIndexes: resource.globalSecondaryIndexes,
    localSecondaryIndexes: resource.localSecondaryIndexes,
  });
}
