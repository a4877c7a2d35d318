import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemClock } from '../../core/values/clock.js';

/** DynamoDB was seen to close a connection after 60 s without a request; other servers do so sooner. */
const LONGEST_IDLE_MS = 10_000;

/** What is used of the SDK's handler on Node, and of Node's agents. */
interface Handler {
  httpHandlerConfigs?(): Agents;
  /** Older handlers, without that function, keep their agents here. The first request sets it. */
  readonly config?: Agents;
}
interface Agents {
  readonly httpAgent?: Agent;
  readonly httpsAgent?: Agent;
}
interface Agent {
  readonly freeSockets?: Readonly<Record<string, readonly { destroy(): void }[]>>;
}

/**
 * Has a client send nothing over a connection that was idle for long. A process that is frozen, as on Lambda between
 * two invocations, does not learn that a server has closed a connection before it sends over it again, and then cannot
 * know whether that request was applied. Where a client has no sockets, as on Workers, nothing changes.
 *
 * @returns the client
 */
export function closeIdleSockets(client: DynamoDBClient): DynamoDBClient {
  let sentMs = systemClock.now();
  client.middlewareStack.add(
    (next) => (args) => {
      // The wall clock goes on while a process is frozen.
      const nowMs = systemClock.now();
      if (nowMs - sentMs > LONGEST_IDLE_MS) {
        const handler = client.config.requestHandler as unknown as Handler;
        const { httpAgent, httpsAgent } = handler.httpHandlerConfigs?.() ?? handler.config ?? {};
        for (const agent of [httpAgent, httpsAgent]) {
          for (const socket of Object.values(agent?.freeSockets ?? {}).flat()) socket.destroy();
        }
      }
      sentMs = nowMs;
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'singleExecutionIdleSockets' },
  );
  return client;
}
