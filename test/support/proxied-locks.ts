import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Execution, executeWithLock, type LockEvent, type LockOptions, type Outcome } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { afterAll, beforeEach } from 'vitest';
import { dynamoDBLocal, freshTable, storedItem } from './dynamodb-local.js';
import { startFaultProxy } from './fault-proxy.js';
import { verbOf } from './lock-verb.js';

/** A lock table behind a fault proxy, and a direct way past the proxy. */
export async function startProxiedLocks() {
  const { client: direct, endpoint } = dynamoDBLocal();
  const tableName = await freshTable(direct);
  const proxy = await startFaultProxy(endpoint);
  const clients: DynamoDBClient[] = [];
  return {
    proxy,
    /** A client that goes straight to the server. */
    direct,
    tableName,
    /** A store of its own. All its requests go through the proxy. */
    store(options: ConstructorParameters<typeof DynamoDBClient>[0] = { maxAttempts: 1 }) {
      const client = new DynamoDBClient({ endpoint: proxy.endpoint, ...options });
      clients.push(client);
      return dynamoDBStore({ tableName, client });
    },
    /** The verbs of the requests that went through the proxy, in order. A read has the name of its operation. */
    verbs: (): string[] =>
      proxy.requests().map(({ operation, body }) => (operation === 'UpdateItem' ? verbOf(body) : operation)),
    record: (name: string) => storedItem(direct, tableName, { lockName: name }),
    async stop() {
      for (const client of clients) client.destroy();
      await proxy.stop();
    },
  };
}

export type ProxiedLocks = Awaited<ReturnType<typeof startProxiedLocks>>;

/** A lock table behind a fault proxy, for one test file. The proxy's list of requests is emptied before each test. */
export async function ownProxiedLocks() {
  const locks = await startProxiedLocks();
  beforeEach(() => locks.proxy.reset());
  afterAll(() => locks.stop());
  return locks;
}

/** One run, and everything that its caller and its observer see. */
export interface SeenRun {
  /** What the promise resolved to; undefined when it rejected. */
  readonly outcome?: Outcome<string>;
  readonly error?: unknown;
  readonly executions: readonly Execution[];
  readonly events: readonly LockEvent[];
  /** The types of the events. */
  readonly types: readonly LockEvent['type'][];
  readonly tookMs: number;
}

export async function runOnce(
  options: Pick<LockOptions, 'store'> & Partial<Parameters<typeof executeWithLock>[1]> & { readonly name: string },
  task: (execution: Execution) => Promise<string> | string = () => 'done',
): Promise<SeenRun> {
  const executions: Execution[] = [];
  const events: LockEvent[] = [];
  const startedAt = performance.now();
  const seen = () => {
    const types = events.map(({ type }) => type);
    return { executions, events, types, tookMs: performance.now() - startedAt };
  };
  try {
    const outcome = await executeWithLock(
      (execution) => {
        executions.push(execution);
        return task(execution);
      },
      { lockAtMostFor: '20s', observers: [(event) => events.push(event)], ...options },
    );
    return { outcome, ...seen() };
  } catch (error) {
    return { error, ...seen() };
  }
}
