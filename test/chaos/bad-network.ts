import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Pool } from 'pg';
import { createLockTable } from 'single-execution/dynamodb';
import { createPostgresTable } from 'single-execution/postgres';
import { startDynamoDBLocal } from '../support/dynamodb-local-process.js';
import { type Fault, startFaultProxy, throttle } from '../support/fault-proxy.js';
import { verbOf } from '../support/lock-verb.js';
import { startPostgresServer } from '../support/postgres-server.js';
import { startRedisServer } from '../support/redis-server.js';
import type { StoreAddress } from '../support/store-address.js';
import { startTcpFaultProxy, type TcpFault } from '../support/tcp-fault-proxy.js';
import { type BridgeFault, startUpstashBridge } from '../support/upstash-bridge.js';

/** A real store behind a network that strikes some requests. `direct` leads past that network. */
export interface BadNetwork {
  readonly address: StoreAddress;
  readonly direct: StoreAddress;
  stop(): Promise<void>;
}

/** Names the fault that strikes a request; undefined for none. It is called once for each request. */
export type ChooseFault = (isRenewal: boolean) => string | undefined;

const DELAY_MS = 400;
/** Longer than a store waits for the answer to one try. */
const HANG_MS = 1_500;
/** Within this time a kept request comes to the server, after its sender was told that its connection broke. */
export const LATE_MS = 1_500;

/** The faults that each network can do to a request, by name. */
export const FAULTS = {
  dynamodb: {
    'reset before': { kind: 'reset', at: 'before' },
    'reset after': { kind: 'reset', at: 'after' },
    'hang before': { kind: 'hang', at: 'before' },
    'hang after': { kind: 'hang', at: 'after' },
    InternalServerError: { kind: 'error', at: 'after', status: 500, type: 'InternalServerError' },
    ThrottlingException: throttle,
    // The store does not try this error again at once: the next renewal does.
    AccessDeniedException: { kind: 'error', at: 'before', status: 400, type: 'AccessDeniedException' },
    delay: { kind: 'delay', ms: DELAY_MS },
    duplicate: { kind: 'duplicate' },
    late: { kind: 'late' },
  } satisfies Record<string, Fault> as Record<string, Fault>,
  redis: {
    'drop-request': 'drop-request',
    'drop-response': 'drop-response',
    busy: 'busy',
    [`kept back ${DELAY_MS} ms`]: { keepBackMs: DELAY_MS },
    [`kept back ${HANG_MS} ms`]: { keepBackMs: HANG_MS },
    late: { lateMs: LATE_MS },
  } as Record<string, TcpFault>,
  postgres: {
    'drop-request': 'drop-request',
    'drop-response': 'drop-response',
    [`kept back ${DELAY_MS} ms`]: { keepBackMs: DELAY_MS },
    [`kept back ${HANG_MS} ms`]: { keepBackMs: HANG_MS },
    // The server ends the connection that has just sent a statement.
    pg_terminate_backend: 'cut',
  } as Record<string, TcpFault | 'cut'>,
  upstash: {
    'drop-request': 'drop-request',
    'drop-response': 'drop-response',
    hang: 'hang',
    'hang-after': 'hang-after',
    'http-500-after': 'http-500-after',
    late: { lateMs: LATE_MS },
  } as Record<string, BridgeFault>,
};

/** A script's last argument is a number, the lease, only for renewals. */
const RENEWS_BY_TCP = /\r\n\d+\r\n$/;
const RENEWS_BY_REST = /"\d+"\]+$/;

/** @param startDynamoDB starts the DynamoDB Local to use, or returns one that runs already */
export async function startBadNetwork(
  kind: StoreAddress['kind'],
  choose: ChooseFault,
  startDynamoDB: typeof startDynamoDBLocal = startDynamoDBLocal,
): Promise<BadNetwork> {
  const chosen = <F>(faults: Readonly<Record<string, F>>, isRenewal: boolean) => faults[choose(isRenewal) ?? ''];
  if (kind === 'dynamodb') {
    const { endpoint, stop } = await startDynamoDB();
    const tableName = `locks-${randomUUID()}`;
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
    await createLockTable(client, { tableName });
    client.destroy();
    const proxy = await startFaultProxy(endpoint, ({ body }) => chosen(FAULTS.dynamodb, verbOf(body) === 'extend'));
    const late = setInterval(() => void proxy.deliverLate().catch(() => undefined), LATE_MS);
    return {
      address: { kind, endpoint: proxy.endpoint, tableName },
      direct: { kind, endpoint, tableName },
      async stop() {
        clearInterval(late);
        await proxy.stop();
        await stop();
      },
    };
  }
  if (kind === 'postgres') return startBadPostgres(() => chosen(FAULTS.postgres, false));
  const server = await startRedisServer();
  const direct = { kind: 'redis', url: server.url } as const;
  if (kind === 'redis') {
    const proxy = await startTcpFaultProxy(server.port, (text) => chosen(FAULTS.redis, RENEWS_BY_TCP.test(text)));
    const stop = () => proxy.stop().then(server.stop);
    return { address: { kind, url: `redis://${server.host}:${proxy.port}` }, direct, stop };
  }
  const bridge = await startUpstashBridge({
    redisPort: server.port,
    choose: ({ body }) => chosen(FAULTS.upstash, RENEWS_BY_REST.test(JSON.stringify(body))),
  });
  const stop = () => bridge.stop().then(server.stop);
  return { address: { kind, url: bridge.url, token: bridge.token }, direct, stop };
}

/** Ends the connection whose statement runs, or else the connection that ran the last statement. */
const CUT = `SELECT pg_terminate_backend(pid) FROM (
  SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
  ORDER BY state = 'active' DESC, state_change DESC LIMIT 1) AS newest`;

async function startBadPostgres(chosen: () => TcpFault | 'cut' | undefined): Promise<BadNetwork> {
  const { port, url, stop } = await startPostgresServer();
  const cutter = new Pool({ connectionString: url, max: 1 });
  await createPostgresTable(cutter);
  const proxy = await startTcpFaultProxy(port, () => {
    const fault = chosen();
    if (fault !== 'cut') return fault;
    void cutter.query(CUT);
    return undefined;
  });
  return {
    address: { kind: 'postgres', url: String(Object.assign(new URL(url), { port: proxy.port })) },
    direct: { kind: 'postgres', url },
    async stop() {
      await proxy.stop();
      await cutter.end();
      await stop();
    },
  };
}
