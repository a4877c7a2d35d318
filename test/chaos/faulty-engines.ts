import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import type { LockStore } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { redisStore } from 'single-execution/redis';
import { upstashStore } from 'single-execution/upstash';
import { type Fault, faultName, type SeenRequest, throttle } from '../support/fault-proxy.js';
import { verbOf } from '../support/lock-verb.js';
import { startProxiedLocks } from '../support/proxied-locks.js';
import { startRedisServer } from '../support/redis-server.js';
import { SENDS_ONCE } from '../support/sends-once.js';
import { startTcpFaultProxy, type TcpFault } from '../support/tcp-fault-proxy.js';
import { type BridgeFault, type BridgeRequest, startUpstashBridge } from '../support/upstash-bridge.js';
import { everyThird } from './every-third.js';

/** A real engine behind a bad network, on which one in three renewals fails, and a good way past it. */
export interface FaultyEngine {
  /** Renewals of this store fail. */
  readonly store: LockStore;
  /** No request of this one does. */
  readonly direct: LockStore;
  /** How many requests for a renewal were sent, and what struck them. */
  sent(): number;
  struck(): readonly string[];
  stop(): Promise<void>;
}

const DENIED: Fault = { kind: 'error', at: 'before', status: 400, type: 'AccessDeniedException' };
const AWS_FAULTS: readonly Fault[] = [
  { kind: 'reset', at: 'before' },
  { kind: 'reset', at: 'after' },
  throttle,
  { kind: 'error', at: 'after', status: 500, type: 'InternalServerError' },
  // No use in trying this at once: the heartbeat itself comes again.
  DENIED,
];
const TCP_FAULTS = ['drop-request', 'drop-response', 'busy'] as const satisfies readonly TcpFault[];
const BRIDGE_FAULTS = ['drop-request', 'drop-response', 'http-500-after'] as const satisfies readonly BridgeFault[];

/** Of all scripts only that of a renewal ends with a number: the lease. */
const RENEWS_BY_TCP = /\r\n\d+\r\n$/;
const RENEWS_BY_REST = /"\d+"\]+$/;

export async function faultyDynamoDB(): Promise<FaultyEngine> {
  const locks = await startProxiedLocks();
  const plan = everyThird(AWS_FAULTS, ({ body }: SeenRequest) => verbOf(body) === 'extend');
  for (const fault of AWS_FAULTS) {
    locks.proxy.inject(fault, { when: (request) => plan.faultFor(request) === fault, times: Number.POSITIVE_INFINITY });
  }
  return {
    store: locks.store(),
    direct: dynamoDBStore({ client: locks.direct, tableName: locks.tableName }),
    sent: plan.fitted,
    struck: () => plan.struck().map(faultName),
    stop: locks.stop,
  };
}

export async function faultyRedis(): Promise<FaultyEngine> {
  const server = await startRedisServer();
  const plan = everyThird(TCP_FAULTS, ({ text }: { readonly text: string }) => RENEWS_BY_TCP.test(text));
  const proxy = await startTcpFaultProxy(server.port, (text) => plan.faultFor({ text }));
  const client = new Redis(proxy.port, SENDS_ONCE);
  const direct = new Redis(server.url);
  // It tells of each connection that breaks, and makes a new one.
  client.on('error', () => undefined);
  return {
    store: redisStore({ client }),
    direct: redisStore({ client: direct }),
    sent: plan.fitted,
    struck: plan.struck,
    async stop() {
      client.disconnect();
      direct.disconnect();
      await proxy.stop();
      await server.stop();
    },
  };
}

export async function faultyUpstash(): Promise<FaultyEngine> {
  const server = await startRedisServer();
  const bridge = await startUpstashBridge({ redisPort: server.port });
  const plan = everyThird(BRIDGE_FAULTS, ({ body }: BridgeRequest) => RENEWS_BY_REST.test(JSON.stringify(body)));
  for (const fault of BRIDGE_FAULTS) {
    bridge.inject(fault, { when: (request) => plan.faultFor(request) === fault, times: Number.POSITIVE_INFINITY });
  }
  const { url, token } = bridge;
  const direct = new Redis(server.url);
  return {
    store: upstashStore({ redis: new UpstashRedis({ url, token, retry: { retries: 0 } }) }),
    direct: redisStore({ client: direct }),
    sent: plan.fitted,
    struck: plan.struck,
    async stop() {
      direct.disconnect();
      await bridge.stop();
      await server.stop();
    },
  };
}
