import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamoDBAdminStore, dynamoDBStore } from 'single-execution/dynamodb';
import { fakeTable, type UpdateInput } from '../../src/testing/fake-dynamodb/table.js';
import type { Random } from '../support/play/random.js';
import type { Host } from './host.js';
import { type Applied, LOCK, type LockServer } from './lock-server.js';
import type { Network } from './network.js';
import type { Regime } from './regime.js';
import type { Timeline } from './timeline.js';

const TABLE = 'locks';
const KEY = { lockName: LOCK };

/** What a client of the SDK asks of a command: to be put together with its middleware, around its request handler. */
interface Command {
  readonly input: UpdateInput;
  resolveMiddleware(stack: Stack, config: object, options: SendOptions): (command: Command) => Promise<object>;
}
interface SendOptions {
  readonly abortSignal?: AbortSignal;
}
interface Stack {
  identify(): readonly string[];
  concat(): Stack;
  resolve(handler: (args: Args) => Promise<Response>): (args: Args) => Promise<object>;
}
interface Args {
  readonly input: UpdateInput;
  readonly request?: UpdateInput;
}

/** Leaves out all of the SDK's own middleware: the input is the request. */
const STACK: Stack = {
  identify: () => [],
  concat: () => STACK,
  resolve: (handler) => async (args) => {
    const { answer } = await handler({ ...args, request: args.input });
    if ('error' in answer) throw answer.error;
    return answer.output;
  },
};

interface Response {
  readonly response: { readonly headers: Record<string, string> };
  readonly answer: { readonly output: object } | { readonly error: unknown };
}

/** A table that evaluates the very expressions that are sent. */
export function dynamoDBServer(
  time: Timeline,
  chance: Random,
  regime: Regime,
  net: Network,
  onApplied: (applied: Applied) => void,
): LockServer {
  const table = fakeTable(['lockName']);

  const serve = (host: Host, input: UpdateInput, isCopy: boolean): Response => {
    const before = table.get(KEY);
    const date = time.now() - (regime.staleMs > 0 ? chance.whole(0, regime.staleMs) : 0);
    const headers: Record<string, string> = chance.chance(regime.dateless)
      ? {}
      : { date: new Date(date).toUTCString() };
    try {
      if (input.UpdateExpression === undefined) {
        const Item = table.get(input.Key);
        return { response: { headers }, answer: { output: { ...(Item && { Item }), $metadata: { attempts: 1 } } } };
      }
      const Attributes = table.update(input);
      const by = input.ExpressionAttributeValues?.[':att'];
      if (input.Key['lockName'] === LOCK) onApplied({ host, before, after: table.get(KEY) ?? {}, by, isCopy });
      return {
        response: { headers },
        answer: { output: { ...(Attributes && { Attributes }), $metadata: { attempts: 1 } } },
      };
    } catch (error) {
      return { response: { headers }, answer: { error } };
    }
  };

  const clientOf = (host: Host): DynamoDBDocumentClient => {
    const requestHandler = {
      handle(input: UpdateInput, { abortSignal }: SendOptions) {
        const service = {
          serve: (isCopy: boolean) => serve(host, input, isCopy),
          refusal: () => failure('ThrottlingException', 400),
          breakdown: () => failure('InternalServerError', 500),
        };
        return net.exchange(host, service, abortSignal);
      },
    };
    const client = {
      send: (command: Command, options: SendOptions = {}) =>
        command.resolveMiddleware(STACK, { requestHandler }, options)(command),
    };
    return Object.assign(Object.create(DynamoDBDocumentClient.prototype), client) as DynamoDBDocumentClient;
  };

  return {
    storeOf: (host) => dynamoDBStore({ tableName: TABLE, client: clientOf(host) }),
    adminOf: (host) => dynamoDBAdminStore({ tableName: TABLE, client: clientOf(host) }),
    item: () => table.get(KEY),
  };
}

function failure(name: string, httpStatusCode: number): Error {
  return Object.assign(new Error(name), { name, $fault: 'server', $metadata: { httpStatusCode, attempts: 1 } });
}
