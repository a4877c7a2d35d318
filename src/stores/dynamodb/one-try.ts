import { GetCommand, type GetCommandOutput, UpdateCommand, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import type { StoreCall } from '../../core/ports/lock-store.js';
import type { Item } from '../../core/record/lock-record.js';
import { isConditionFailed, isDenied } from './errors.js';
import { exchangeOf } from './exchange.js';
import { plainItem, plainOutput } from './item.js';
import type { TableOptions } from './options.js';
import type { UpdateRequest } from './requests.js';
import type { ResponseTime } from './response-time.js';

export type TableKey = Record<string, string>;

/** How the table answered one try of a conditional write. */
export interface Reply {
  readonly applied: boolean;
  /** The item before the write, or the one that refused it. */
  readonly item: Item | undefined;
  readonly time: ResponseTime;
  /** The client itself tried more than once: an earlier try may have been applied. */
  readonly retried: boolean;
}

/** What a try is told: the only clock that it may read, and when to give up. */
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
  const exchange = exchangeOf(clock, signal);
  const reply = (applied: boolean, item: Item | undefined, metadata: Metadata | undefined): Reply => ({
    applied,
    item: item === undefined ? undefined : plainItem(item),
    time: exchange.time,
    retried: (metadata?.attempts ?? 1) > 1,
  });
  const refused = async (item: Item | undefined, metadata: Metadata | undefined) =>
    reply(false, item ?? (await readInstead(table, key, { clock, signal })), metadata);
  try {
    const { Attributes, $metadata } = plainOutput(await table.send<UpdateCommandOutput>(command, exchange));
    return exchange.refused ? refused(exchange.refused.item, $metadata) : reply(true, Attributes, $metadata);
  } catch (error) {
    // From a mock, or in a format that the exchange does not read.
    if (!isConditionFailed(error)) throw error;
    const { Item, $metadata } = error as { Item?: Item; $metadata?: Metadata };
    return refused(Item, $metadata);
  }
}

/** For emulators whose refusals carry no item. On DynamoDB this happens only where there is no item. */
async function readInstead(table: TableOptions, key: TableKey, at: Try): Promise<Item | undefined> {
  try {
    return (await readOnce(table, key, at)).item;
  } catch (error) {
    // A function's role may write only; then there is no item to be read on the real service either.
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
  const exchange = exchangeOf(clock, signal);
  const { Item } = plainOutput(await table.send<GetCommandOutput>(command, exchange));
  return { item: Item === undefined ? undefined : plainItem(Item), time: exchange.time };
}

type Metadata = { readonly attempts?: number };
