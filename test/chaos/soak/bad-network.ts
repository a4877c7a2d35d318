import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createLockTable } from 'single-execution/dynamodb';
import { startDynamoDBLocal } from '../../support/dynamodb-local-process.js';
import { type Fault, faultName, type SeenRequest, startFaultProxy, throttle } from '../../support/fault-proxy.js';
import type { Random } from '../../support/play/random.js';
import { startRedisServer } from '../../support/redis-server.js';
import type { StoreAddress } from '../../support/store-address.js';
import { startTcpFaultProxy, type TcpFault } from '../../support/tcp-fault-proxy.js';
import { type BridgeFault, type BridgeRequest, startUpstashBridge } from '../../support/upstash-bridge.js';
import { oncePerRequest } from '../every-third.js';

/** A real store, reached over a network that strikes one in so many requests. */
export interface BadNetwork {
  readonly address: StoreAddress;
  /** How many requests each kind of fault has struck. */
  readonly struck: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** The part of all requests that a fault strikes. */
const SHARE = 0.05;
const DELAY_MS = 400;
/** Longer than a store waits for the answer to one try. */
const HANG_MS = 1_500;
/** A request that was kept comes to the server within so long after its sender was told that its connection broke. */
export const LATE_MS = 1_500;
const TABLE = 'locks';

const AWS_FAULTS: readonly Fault[] = [
  { kind: 'reset', at: 'before' },
  { kind: 'reset', at: 'after' },
  { kind: 'hang', at: 'before' },
  { kind: 'hang', at: 'after' },
  { kind: 'error', at: 'after', status: 500, type: 'InternalServerError' },
  throttle,
  { kind: 'delay', ms: DELAY_MS },
  { kind: 'duplicate' },
  { kind: 'late' },
];
/** No `busy`: to a client that has more than one request under way it would be the answer to another one. */
const TCP_FAULTS: readonly TcpFault[] = [
  'drop-request',
  'drop-response',
  { keepBackMs: DELAY_MS },
  { keepBackMs: HANG_MS },
  { lateMs: LATE_MS },
];
const BRIDGE_FAULTS: readonly BridgeFault[] = [
  'drop-request',
  'drop-response',
  'hang',
  'hang-after',
  'http-500-after',
  { lateMs: LATE_MS },
];

export const NETWORKS: Readonly<Record<StoreAddress['kind'], (random: Random) => Promise<BadNetwork>>> = {
  dynamodb: startDynamoDB,
  redis: startRedis,
  upstash: startUpstash,
};

async function startDynamoDB(random: Random): Promise<BadNetwork> {
  const local = await startDynamoDBLocal();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: local.endpoint, region: 'local', credentials });
  await createLockTable(client, { tableName: TABLE });
  client.destroy();
  const proxy = await startFaultProxy(local.endpoint);
  const { faultFor, struck } = strikes<SeenRequest, Fault>(random, AWS_FAULTS, faultName);
  for (const fault of AWS_FAULTS) {
    proxy.inject(fault, { when: (request) => faultFor(request) === fault, times: Number.POSITIVE_INFINITY });
  }
  const late = setInterval(() => void proxy.deliverLate().catch(() => undefined), LATE_MS);
  return {
    address: { kind: 'dynamodb', endpoint: proxy.endpoint, tableName: TABLE },
    struck,
    async stop() {
      clearInterval(late);
      await proxy.stop();
      await local.stop();
    },
  };
}

async function startRedis(random: Random): Promise<BadNetwork> {
  const server = await startRedisServer();
  const { faultFor, struck } = strikes<{ readonly text: string }, TcpFault>(random, TCP_FAULTS, redisFaultName);
  const proxy = await startTcpFaultProxy(server.port, (text) => faultFor({ text }));
  return {
    address: { kind: 'redis', url: `redis://${server.host}:${proxy.port}` },
    struck,
    async stop() {
      await proxy.stop();
      await server.stop();
    },
  };
}

async function startUpstash(random: Random): Promise<BadNetwork> {
  const server = await startRedisServer();
  const bridge = await startUpstashBridge({ redisPort: server.port });
  const { faultFor, struck } = strikes<BridgeRequest, BridgeFault>(random, BRIDGE_FAULTS, redisFaultName);
  for (const fault of BRIDGE_FAULTS) {
    bridge.inject(fault, { when: (request) => faultFor(request) === fault, times: Number.POSITIVE_INFINITY });
  }
  return {
    address: { kind: 'upstash', url: bridge.url, token: bridge.token },
    struck,
    async stop() {
      await bridge.stop();
      await server.stop();
    },
  };
}

function redisFaultName(fault: TcpFault | BridgeFault): string {
  if (typeof fault !== 'object') return fault;
  return 'lateMs' in fault ? 'late' : `kept back ${fault.keepBackMs} ms`;
}

/** Chooses the requests to strike, each with a kind of fault, and counts them. */
function strikes<R, F>(random: Random, kinds: readonly F[], nameOf: (fault: F) => string) {
  const struck = new Map<string, number>();
  const faultFor = oncePerRequest((_: R): F | undefined => {
    if (!random.chance(SHARE)) return undefined;
    const fault = random.pick(kinds);
    struck.set(nameOf(fault), (struck.get(nameOf(fault)) ?? 0) + 1);
    return fault;
  });
  return { faultFor, struck };
}
