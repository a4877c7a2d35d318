import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { StoreCall } from '../../core/ports/lock-store.js';
import type { Item } from '../../core/record/lock-record.js';
import { isConditionFailed, isDenied } from './errors.js';
import { answerOf, plainItem } from './item.js';
import type { TableOptions } from './options.js';
import type { UpdateRequest } from './requests.js';
import { type ResponseTime, timeResponses } from './response-time.js';

export type TableKey = Record<string, string>;

/** The table's answer to one try of a conditional write. */
export interface Reply {
  readonly applied: boolean;
  /** The item before the write, or the item that refused it. */
  readonly item: Item | undefined;
  readonly time: ResponseTime;
  /** The client itself tried more than once: an earlier try may have been applied. */
  readonly retried: boolean;
}

/** The only clock that a try may read, and the signal to give up. */
type Try = Pick<StoreCall, 'clock' | 'signal'>;

/** Sends a write once. A refusal is a reply. */
export async function writeOnce(
  table: TableOptions,
  key: TableKey,
  request: UpdateRequest,
  { clock, signal }: Try,
): Promise<Reply> {
  const command = new UpdateCommand({
    TableName: table.tableName,
    Key: key,
    ...request,
    ...(request.ConditionExpression !== undefined && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
  });
  const time = timeResponses(command, clock);
  try {
    const output = await table.client.send(command, { abortSignal: signal });
    const { Attributes, $metadata } = answerOf(output, 'Attributes', time());
    const item = Attributes === undefined ? undefined : plainItem(Attributes);
    return { applied: true, item, time: time(), retried: hasRetried($metadata) };
  } catch (error) {
    if (!isConditionFailed(error)) throw error;
    const { Item, $metadata } = error as { Item?: Item; $metadata?: Metadata };
    const item = Item === undefined ? await readInstead(table, key, { clock, signal }) : plainItem(Item);
    return { applied: false, item, time: time(), retried: hasRetried($metadata) };
  }
}

/** Reads the item, for emulators whose refusals carry none. On DynamoDB this happens only if there is no item. */
async function readInstead(table: TableOptions, key: TableKey, at: Try): Promise<Item | undefined> {
  try {
    return (await readOnce(table, key, at)).item;
  } catch (error) {
    // A function's role may only write; on the real service there is then no item.
    if (isDenied(error)) return undefined;
    throw error;
  }
}

/** Reads an item once, consistently. */
export async function readOnce(
  table: TableOptions,
  key: TableKey,
  { clock, signal }: Try,
): Promise<Pick<Reply, 'item' | 'time'>> {
  const command = new GetCommand({ TableName: table.tableName, Key: key, ConsistentRead: true });
  const time = timeResponses(command, clock);
  const { Item } = answerOf(await table.client.send(command, { abortSignal: signal }), 'Item', time());
  return { item: Item === undefined ? undefined : plainItem(Item), time: time() };
}

interface Metadata {
  readonly attempts?: number;
}

function hasRetried(metadata: Metadata | undefined): boolean {
  return (metadata?.attempts ?? 1) > 1;
}
