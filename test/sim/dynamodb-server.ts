import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import type { FakeItem } from '../../src/testing/fake-dynamodb/attribute-value.js';
import { fakeTable, type UpdateInput } from '../../src/testing/fake-dynamodb/table.js';
import type { Random } from '../support/play/random.js';
import { type Breaks, breakableStore, heardOf, type Request, serveBroken } from './broken.js';
import type { Host } from './host.js';
import { type Applied, type Item, LOCK, type LockServer } from './lock-server.js';
import type { Network } from './network.js';
import type { Regime } from './regime.js';
import type { Timeline } from './timeline.js';

const TABLE = 'locks';
const KEY = { lockName: LOCK };

interface Command {
  readonly input: UpdateInput;
  readonly middlewareStack: {
    resolve(handler: (args: unknown) => Promise<unknown>, context: object): (args: unknown) => Promise<unknown>;
  };
}

interface Response {
  readonly headers: Record<string, string>;
  readonly answer: { readonly output: object } | { readonly error: unknown };
}

/** A DynamoDB table that evaluates the expressions that the library sends. */
export function dynamoDBServer(
  time: Timeline,
  chance: Random,
  regime: Regime,
  net: Network,
  onApplied: (applied: Applied) => void,
  breaks: Breaks = {},
): LockServer {
  const table = fakeTable(['lockName']);

  const record = { get: () => table.get(KEY), set: (item: Item) => table.put({ ...(item as FakeItem), ...KEY }) };
  const serve = (host: Host, input: UpdateInput, isCopy: boolean, request?: Request): Response => {
    const before = table.get(KEY);
    const date = time.now() - (regime.staleMs > 0 ? chance.whole(0, regime.staleMs) : 0);
    const headers: Record<string, string> = chance.chance(regime.dateless)
      ? {}
      : { date: new Date(date).toUTCString() };
    try {
      if (input.UpdateExpression === undefined) {
        const Item = request ? serveBroken(breaks, request, record, () => table.get(input.Key)) : table.get(input.Key);
        return { headers, answer: { output: { ...(Item && { Item }), $metadata: METADATA } } };
      }
      const update = () => table.update(input);
      const isBroken = request && input.Key['lockName'] === LOCK;
      const Attributes = isBroken ? serveBroken(breaks, request, record, update) : update();
      const by = input.ExpressionAttributeValues?.[':att'];
      if (input.Key['lockName'] === LOCK) onApplied({ host, before, after: table.get(KEY) ?? {}, by, isCopy });
      return { headers, answer: { output: { ...(Attributes && { Attributes }), $metadata: METADATA } } };
    } catch (error) {
      const early = breaks.dateMs && headers['date'] && { date: new Date(date + breaks.dateMs).toUTCString() };
      return { headers: { ...headers, ...early }, answer: { error } };
    }
  };

  const clientOf = (host: Host, request?: Request): DynamoDBDocumentClient => {
    const client = {
      async send({ input, middlewareStack }: Command, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
        if (request && breaks.drops?.(input.UpdateExpression, request)) return { $metadata: METADATA };
        const service = {
          serve: (isCopy: boolean) => serve(host, input, isCopy, request),
          refusal: () => failure('ThrottlingException', 400),
          breakdown: () => failure('InternalServerError', 500),
        };
        const handler = async () => {
          const { headers, answer } = await heardOf(
            request,
            net.exchange(host, service, abortSignal),
            ({ answer: told }) => 'error' in told,
          );
          if (breaks.echoMs !== undefined)
            host.after(breaks.echoMs, () => void net.exchange(host, service).catch(() => {}));
          return { response: { headers }, output: answer };
        };
        const { output } = (await middlewareStack.resolve(handler, {})({ input, request: REQUEST })) as {
          output: Response['answer'];
        };
        if ('error' in output) throw output.error;
        return output.output;
      },
    };
    return Object.assign(Object.create(DynamoDBDocumentClient.prototype), client) as DynamoDBDocumentClient;
  };

  const dynamoDB = (host: Host, request?: Request) => ({ tableName: TABLE, client: clientOf(host, request) });
  return {
    storeOf: (host) => breakableStore(breaks, host, (request) => dynamoDBStore(dynamoDB(host, request))),
    adminOf: (host) => breakableStore(breaks, host, (request) => dynamoDBAdminStore(dynamoDB(host, request))),
    item: () => table.get(KEY),
  };
}

/** What the client asks, as far as the library looks at it. */
const REQUEST = { protocol: 'https:', hostname: 'dynamodb.eu-west-1.amazonaws.com' };
/** What every answer of DynamoDB has. */
const METADATA = { requestId: 'R', attempts: 1 };

function failure(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, $fault: 'server', $metadata: { httpStatusCode, attempts: 1 } });
}
