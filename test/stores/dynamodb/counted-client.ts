import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { itemSize, writeUnits } from './item-size.js';

export interface Cost {
  readonly requests: number;
  readonly writeUnits: number;
}

/** A client that counts what its requests cost. */
export interface CountedClient {
  readonly client: DynamoDBClient;
  /** The cost of the requests since the last call. */
  spent(): Cost;
}

interface Input {
  ReturnConsumedCapacity?: string;
}

type RawItem = Readonly<Record<string, { readonly S?: string; readonly N?: string }>>;

/**
 * Asks the server to report the units of each request. A refused write does not report its units, so they are computed
 * from the size of the item that the refusal contains.
 */
export function countedClient(endpoint: string): CountedClient {
  const client = new DynamoDBClient({ endpoint, maxAttempts: 1 });
  let requests = 0;
  let units = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      (args.input as Input).ReturnConsumedCapacity = 'TOTAL';
      requests++;
      try {
        const reply = await next(args);
        const { ConsumedCapacity } = reply.output as { ConsumedCapacity?: { CapacityUnits?: number } };
        units += ConsumedCapacity?.CapacityUnits ?? Number.NaN;
        return reply;
      } catch (error) {
        const { Item } = error as { Item?: RawItem };
        units += Item ? writeUnits(itemSize(plain(Item))) : Number.NaN;
        throw error;
      }
    },
    { step: 'initialize', name: 'countUnits' },
  );
  return {
    client,
    spent() {
      const cost = { requests, writeUnits: units };
      requests = 0;
      units = 0;
      return cost;
    },
  };
}

function plain(item: RawItem): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, { S, N }]) => [name, S ?? Number(N)]));
}
