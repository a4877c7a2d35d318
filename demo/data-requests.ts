import type { SeenRequest } from '../test/support/fault-proxy.js';
import type { Station } from './station.js';
import { DATA_TABLE } from './tables.js';

interface Put {
  readonly TableName?: string;
  readonly Item?: Readonly<Record<string, { readonly S?: string; readonly N?: string } | undefined>>;
}

/** An item that a handler wrote. */
export interface Written {
  readonly pk: string;
  readonly token: number;
}

export function isForData({ body }: SeenRequest): boolean {
  return (body as Put).TableName === DATA_TABLE;
}

/** Requests of the handler itself, as opposed to those of its lock. */
export function dataRequests({ proxy }: Station): readonly SeenRequest[] {
  return proxy.requests().filter(isForData);
}

/** What the database has acknowledged. */
export function writtenIn(requests: readonly SeenRequest[]): readonly Written[] {
  return requests.flatMap(({ operation, body, status }) => {
    const { Item } = body as Put;
    if (operation !== 'PutItem' || status !== 200 || !Item) return [];
    return [{ pk: Item['pk']?.S ?? '', token: Number(Item['fencingToken']?.N) }];
  });
}
