import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  Billing,
  MultiRegionConsistency,
  type TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { grantLock, grantOperate, type TableResource } from './grant-lock.js';
import { refuseUnsafeTable } from './unsafe-table.js';

/** A table that holds locks. */
export interface ILockTable {
  /** The table itself. */
  readonly table: TableResource;
  /** What stores put before each lock name; `''` in a table of its own. */
  readonly keyPrefix: string;
  /**
   * Allows runs to take these locks: `dynamodb:UpdateItem` on their keys, and nothing else.
   *
   * @param lockNames names as given to `withSingleExecution`, or `prefix*`
   */
  grantLock(grantee: IGrantable, lockNames: readonly string[]): Grant;
  /** Allows operators all that `lockAdmin` does: to look at locks, to pause, resume, free, backfill and delete them. */
  grantOperate(grantee: IGrantable): Grant;
}

/** Options of `LockTable`. */
export interface LockTableProps {
  /** @default made by CloudFormation. Give one when other regions or apps are to find the table */
  readonly tableName?: string;
  /** @default a key that DynamoDB owns */
  readonly encryption?: TableEncryptionV2;
  /** @default RETAIN: the table remembers which ticks are done */
  readonly removalPolicy?: RemovalPolicy;
  /** @default true */
  readonly deletionProtection?: boolean;
  /**
   * `'strong'`: a global table with multi-region strong consistency, on which a lock holds across regions. It has three
   * regions, or two and a witness, of one region set, and is chosen at the creation of the table for good.
   *
   * @default one region
   */
  readonly multiRegion?: 'strong';
  /** Regions besides the stack's own: two, or one beside a witness. Only with `multiRegion: 'strong'`. */
  readonly replicaRegions?: readonly string[];
  /** A region that only votes. Only with `multiRegion: 'strong'`. */
  readonly witnessRegion?: string;
}

/** How stores use a table that exists. */
export interface FromTableOptions {
  /** The `keyPrefix` of the stores that use the table. @default '' */
  readonly keyPrefix?: string;
}

/**
 * The table of the locks: on demand, recoverable to a point in time, protected from deletion, and without a time to
 * live, because an expired lock is still the memory of its ticks.
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
  /** Always empty: the table holds locks alone. */
  readonly keyPrefix = '';

  /**
   * Uses a table that exists, or that other items live in too.
   *
   * @example
   * ```ts
   * import type { Stack } from 'aws-cdk-lib';
   * import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
   * import { LockTable } from 'single-execution/cdk';
   *
   * export function sharedTable(stack: Stack) {
   *   return LockTable.fromTable(TableV2.fromTableName(stack, 'Shop', 'shop'), { keyPrefix: 'lock#' });
   * }
   * ```
   */
  static fromTable(table: TableResource, { keyPrefix = '' }: FromTableOptions = {}): ILockTable {
    refuseUnsafeTable(table, { timeToLive: 'other-items' });
    return {
      table,
      keyPrefix,
      grantLock: (grantee, lockNames) => grantLock(table, grantee, lockNames, keyPrefix),
      grantOperate: (grantee) => grantOperate(table, grantee, keyPrefix),
    };
  }

  constructor(scope: Construct, id: string, props: LockTableProps = {}) {
    super(scope, id);
    const { multiRegion, replicaRegions = [], witnessRegion, ...others } = props;
    const { deletionProtection = true, removalPolicy = RemovalPolicy.RETAIN, ...own } = others;
    if (multiRegion === undefined && (replicaRegions.length > 0 || witnessRegion !== undefined)) {
      throw new TypeError(
        `replicaRegions is [${replicaRegions.join(', ')}] and witnessRegion ${witnessRegion} without multiRegion: two regions of an eventually consistent table can both take a lock; give multiRegion: 'strong'`,
      );
    }
    if (multiRegion !== undefined && multiRegion !== 'strong') {
      throw new TypeError(`multiRegion is '${multiRegion}': give 'strong', or leave it out`);
    }
    this.table = new TableV2(this, 'Table', {
      ...own,
      deletionProtection,
      removalPolicy,
      partitionKey: { name: 'lockName', type: AttributeType.STRING },
      billing: Billing.onDemand(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      ...(multiRegion && {
        multiRegionConsistency: MultiRegionConsistency.STRONG,
        replicas: replicaRegions.map((region) => ({ region })),
      }),
      ...(witnessRegion !== undefined && { witnessRegion }),
    });
    refuseUnsafeTable(this.table, { timeToLive: 'never' });
  }

  /**
   * Allows runs to take these locks: `dynamodb:UpdateItem` on their keys, and nothing else.
   *
   * @param lockNames names as given to `withSingleExecution`, or `prefix*`
   * @throws TypeError for an empty list, and for a name that no IAM policy can hold
   */
  grantLock(grantee: IGrantable, lockNames: readonly string[]): Grant {
    return grantLock(this.table, grantee, lockNames, this.keyPrefix);
  }

  /** Allows operators all that `lockAdmin` does. */
  grantOperate(grantee: IGrantable): Grant {
    return grantOperate(this.table, grantee, this.keyPrefix);
  }
}
