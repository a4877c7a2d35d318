import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';

/** An account and a region. A value that is not known is a token. */
interface Place {
  /** The account's number. */
  readonly account: string;
  /** The region's code, such as `eu-west-1`. */
  readonly region: string;
}

/** A `Table` or `TableV2` of this app, or an imported one. */
export interface TableResource extends IConstruct {
  /** ARN of the table. */
  readonly tableArn: string;
  /** Name of the table. */
  readonly tableName: string;
  /** The customer's key that encrypts the table, if there is one. */
  readonly encryptionKey?: IKey | undefined;
  /** The account and the region of the table. @default not known */
  readonly env?: Place | undefined;
}
