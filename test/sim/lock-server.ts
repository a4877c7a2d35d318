import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Random } from '../../demo/random.js';
import type { FakeItem } from '../../src/testing/fake-attribute-value.js';
import { fakeTable, type UpdateInput } from '../../src/testing/fake-table.js';
import type { Host } from './host.js';
import type { Regime, Weather } from './regime.js';
import type { Timeline } from './timeline.js';

/** What a write that was applied did to the item of a lock. */
export interface Applied {
  readonly atMs: number;
  readonly host: Host;
  readonly before: FakeItem | undefined;
  readonly after: FakeItem;
  /** The attempt that the request names. */
  readonly by: unknown;
  /** A copy that the network made of a request. */
  readonly isCopy: boolean;
}

/** The table, which evaluates the very expressions that are sent, and the network before it. */
export interface LockServer {
  /** The document client of a host. */
  clientOf(host: Host): DynamoDBDocumentClient;
  item(): FakeItem | undefined;
}

export const TABLE = 'locks';
export const LOCK = 'job';

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

export function lockServer(
  time: Timeline,
  chance: Random,
  regime: Regime,
  weather: Weather,
  onApplied: (applied: Applied) => void,
): LockServer {
  const table = fakeTable(['lockName']);
  const key = { lockName: LOCK };

  const delay = () =>
    weather.delayMs * chance.pick([0.3, 0.5, 0.8, 1, 1.5, 3]) +
    (chance.chance(weather.late) ? chance.whole(1_000, 40_000) : 0);

  /** One request at the server. */
  const serve = (host: Host, input: UpdateInput, isCopy: boolean): Response => {
    const before = table.get(key);
    const date = time.now() - (regime.staleMs > 0 ? chance.whole(0, regime.staleMs) : 0);
    const headers: Record<string, string> = chance.chance(regime.dateless)
      ? {}
      : { date: new Date(date).toUTCString() };
    try {
      if (input.UpdateExpression === undefined) {
        const Item = table.get(input.Key);
        return { headers, answer: { output: { ...(Item && { Item }), $metadata: { attempts: 1 } } } };
      }
      const Attributes = table.update(input);
      if (input.Key['lockName'] === LOCK)
        onApplied({
          atMs: time.now(),
          host,
          before,
          after: table.get(key) ?? {},
          by: input.ExpressionAttributeValues?.[':att'],
          isCopy,
        });
      return { headers, answer: { output: { ...(Attributes && { Attributes }), $metadata: { attempts: 1 } } } };
    } catch (error) {
      return { headers, answer: { error } };
    }
  };

  const failure = (name: string, status: number) =>
    Object.assign(new Error(name), { name, $fault: 'server', $metadata: { httpStatusCode: status, attempts: 1 } });

  const exchange = (host: Host, input: UpdateInput, signal: AbortSignal | undefined): Promise<Response> =>
    new Promise((resolve, reject) => {
      const onAbort = () => reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }));
      if (signal?.aborted) return onAbort();
      signal?.addEventListener('abort', onAbort);
      const answer = (settle: () => void, ms: number) =>
        host.after(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          settle();
        });
      if (chance.chance(weather.fail / 2))
        return void answer(() => reject(failure('ThrottlingException', 400)), delay());
      const copies = chance.chance(weather.duplicate) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        if (chance.chance(weather.loseRequest)) continue;
        time.after(delay() + (copy > 0 ? chance.whole(0, 8_000) : 0), () => {
          const response = serve(host, input, copy > 0);
          if (copy > 0 || chance.chance(weather.loseResponse)) return;
          if (chance.chance(weather.fail)) answer(() => reject(failure('InternalServerError', 500)), delay());
          else answer(() => resolve(response), delay());
        });
      }
    });

  return {
    item: () => table.get(key),
    clientOf(host) {
      const client = {
        async send(command: Command, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
          const { input, middlewareStack } = command;
          const handler = async () => {
            const { headers, answer } = await exchange(host, input, abortSignal);
            return { response: { headers }, output: answer };
          };
          const { output } = (await middlewareStack.resolve(handler, {})({ input })) as {
            output: Response['answer'];
          };
          if ('error' in output) throw output.error;
          return output.output;
        },
      };
      return Object.assign(Object.create(DynamoDBDocumentClient.prototype), client) as DynamoDBDocumentClient;
    },
  };
}
