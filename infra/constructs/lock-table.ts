import { CfnDeletionPolicy, type CfnResource, RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  MultiRegionConsistency,
  type TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct, type IConstruct } from 'constructs';
import { checkKeyPrefix } from '../../src/core/values/names.js';
import { grantLock, grantOperate, grantRead } from './grant-lock.js';
import { shown } from './props-shape.js';
import type { TableResource } from './table-resource.js';
import { refuseUnsafeTable } from './unsafe-table.js';

/** A table that holds locks. */
export interface ILockTable extends IConstruct {
  /** The table itself. */
  readonly table: TableResource;
  /** The text that stores put before each lock name; `''` if the table holds only locks. */
  readonly keyPrefix: string;
  /**
   * Allows runs to take these locks: `dynamodb:UpdateItem` on their keys and, if a customer's key encrypts the table,
   * the use of that key through DynamoDB.
   *
   * @param lockNames names as given to `withSingleExecution`, or `prefix*`
   */
  grantLock(grantee: IGrantable, lockNames: readonly string[]): Grant;
  /**
   * Allows operators to look at locks, but not to change them: what `ls`, `runs`, `why` and the console need. Listing
   * scans the whole table, even if other items share it.
   */
  grantRead(grantee: IGrantable): Grant;
  /**
   * Allows operators all that `lockAdmin` does: to look at locks, and to pause, resume, free, backfill and delete them.
   */
  grantOperate(grantee: IGrantable): Grant;
}

/** Options of `LockTable`. */
export interface LockTableProps {
  /** Name of the table. Give one if other regions or apps must find the table. @default made by CloudFormation */
  readonly tableName?: string;
  /** How the table is encrypted. @default a key that DynamoDB owns */
  readonly encryption?: TableEncryptionV2;
  /**
   * What happens to the table when its stack is deleted. @default RETAIN, because the table remembers which ticks are
   * done
   */
  readonly removalPolicy?: RemovalPolicy;
  /**
   * Whether the table is protected from deletion with its stack. @default true, and false with RemovalPolicy.DESTROY
   */
  readonly deletionProtection?: boolean;
  /**
   * `STRONG` makes a global table in which a lock holds across regions. The table has three regions, or two and a
   * witness, of one region set. This choice cannot be changed after the creation of the table. `EVENTUAL` is refused.
   *
   * @default one region
   */
  readonly multiRegionConsistency?: MultiRegionConsistency;
  /**
   * Regions in addition to the stack's region: two, or one if there is a witness. Only with
   * `MultiRegionConsistency.STRONG`.
   */
  readonly replicaRegions?: readonly string[];
  /** The region of the witness, which only votes. Only with `MultiRegionConsistency.STRONG`. */
  readonly witnessRegion?: string;
}

/** Options of `LockTable.fromTable`. */
export interface FromTableOptions {
  /** The `keyPrefix` of the stores that use the table. @default '' */
  readonly keyPrefix?: string;
}

/**
 * A table for locks: on demand, recoverable to a point in time, protected from deletion. It has no time to live,
 * because the record of an expired lock still says which ticks are done.
 *
 * @example
 * ```ts
 * import { Stack } from 'aws-cdk-lib';
 * import { LockTable } from 'single-execution/cdk';
 *
 * export class Locks extends Stack {
 *   readonly table = new LockTable(this, 'Locks', { tableName: 'locks' });
 * }
 * ```
 */
export class LockTable extends Construct implements ILockTable {
  /** The table itself. */
  readonly table: TableV2;
  /** Always empty, because the table holds only locks. */
  readonly keyPrefix = '';

  /**
   * Uses an existing table, in which there may be other items too.
   *
   * @example
   * ```ts
   * import type { Stack } from 'aws-cdk-lib';
   * import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
   * import { LockTable } from 'single-execution/cdk';
   *
   * export function sharedTable(stack: Stack) {
   *   const shop = TableV2.fromTableName(stack, 'Shop', 'shop');
   *   return LockTable.fromTable(stack, 'Locks', shop, { keyPrefix: 'lock#' });
   * }
   * ```
   *
   * @throws TypeError if `table` is not a table
   */
  static fromTable(scope: Construct, id: string, table: TableResource, options: FromTableOptions = {}): ILockTable {
    return new ExistingTable(scope, id, table, options);
  }

  constructor(scope: Construct, id: string, props: LockTableProps = {}) {
    super(scope, id);
    const { multiRegionConsistency, replicaRegions = [], witnessRegion, ...others } = props;
    const { removalPolicy = RemovalPolicy.RETAIN, ...own } = others;
    const isKept = removalPolicy !== RemovalPolicy.DESTROY;
    const { deletionProtection = isKept } = own;
    if (deletionProtection && !isKept) {
      throw new TypeError(
        'removalPolicy is destroy and deletionProtection true: DynamoDB would refuse to delete the table with its stack; leave one of them out',
      );
    }
    refuseRegions(props);
    this.table = new TableV2(this, 'Table', {
      ...own,
      deletionProtection,
      removalPolicy,
      partitionKey: { name: 'lockName', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...(multiRegionConsistency && {
        multiRegionConsistency,
        replicas: replicaRegions.map((region) => ({ region })),
      }),
      ...(witnessRegion !== undefined && { witnessRegion }),
    });
    refuseUnsafeTable(this.table, { timeToLive: 'never' });
    if (deletionProtection) this.node.addValidation({ validate: () => undeletable(this.table) });
  }

  /**
   * Allows runs to take these locks: `dynamodb:UpdateItem` on their keys and, if a customer's key encrypts the table,
   * the use of that key through DynamoDB.
   *
   * @param lockNames names as given to `withSingleExecution`, or `prefix*`
   * @throws TypeError for an empty list, and for a name that no IAM policy can hold
   */
  grantLock(grantee: IGrantable, lockNames: readonly string[]): Grant {
    return grantLock(this.table, grantee, lockNames, this.keyPrefix);
  }

  /** Allows operators to look at locks, but not to change them. */
  grantRead(grantee: IGrantable): Grant {
    return grantRead(this.table, grantee, this.keyPrefix);
  }

  /** Allows operators all that `lockAdmin` does. */
  grantOperate(grantee: IGrantable): Grant {
    return grantOperate(this.table, grantee, this.keyPrefix);
  }
}

class ExistingTable extends Construct implements ILockTable {
  readonly table: TableResource;
  readonly keyPrefix: string;

  constructor(scope: Construct, id: string, table: TableResource, { keyPrefix = '' }: FromTableOptions) {
    super(scope, id);
    if (typeof table?.tableArn !== 'string') {
      throw new TypeError(`table is ${shown(table)}: pass a Table or TableV2, such as TableV2.fromTableName(…)`);
    }
    this.table = table;
    this.keyPrefix = checkKeyPrefix(keyPrefix);
    refuseUnsafeTable(table, { timeToLive: 'other-items' });
  }

  grantLock(grantee: IGrantable, lockNames: readonly string[]): Grant {
    return grantLock(this.table, grantee, lockNames, this.keyPrefix);
  }

  grantRead(grantee: IGrantable): Grant {
    return grantRead(this.table, grantee, this.keyPrefix);
  }

  grantOperate(grantee: IGrantable): Grant {
    return grantOperate(this.table, grantee, this.keyPrefix);
  }
}

/** Finds a policy of deletion that was set later, for the whole stack too, and that the table's protection prevents. */
function undeletable({ node }: TableV2): string[] {
  const { cfnOptions } = node.defaultChild as CfnResource;
  if (cfnOptions.deletionPolicy !== CfnDeletionPolicy.DELETE) return [];
  return [
    'the deletion policy was set to Delete, and deletionProtection is true: DynamoDB would refuse to delete the table with its stack; set removalPolicy: RemovalPolicy.DESTROY or deletionProtection: false, or leave the table out of the policy',
  ];
}

/** @throws TypeError for options with which two regions could both take a lock */
function refuseRegions({ multiRegionConsistency, replicaRegions = [], witnessRegion }: LockTableProps): void {
  if (!Array.isArray(replicaRegions)) {
    throw new TypeError(`replicaRegions is ${shown(replicaRegions)}: pass a list, such as ['eu-west-2']`);
  }
  if (multiRegionConsistency === undefined && (replicaRegions.length > 0 || witnessRegion !== undefined)) {
    throw new TypeError(
      `replicaRegions is [${replicaRegions.join(', ')}] and witnessRegion ${witnessRegion} without multiRegionConsistency: two regions of an eventually consistent table can both take a lock; pass MultiRegionConsistency.STRONG`,
    );
  }
  if (multiRegionConsistency !== undefined && multiRegionConsistency !== MultiRegionConsistency.STRONG) {
    throw new TypeError(
      `multiRegionConsistency is ${shown(multiRegionConsistency)}: pass MultiRegionConsistency.STRONG, or leave it out`,
    );
  }
}
