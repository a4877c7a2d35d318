/**
 * What a run and a skip cost above the very same UpdateItem calls sent bare: `npx tsx bench/dynamodb.ts [rounds]`.
 * Both kinds take turns in one process against one DynamoDB Local, a block each, so that noise disturbs both alike;
 * figures are the medians of blocks, and the ratio is the median of the ratios of neighbouring blocks.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { withSingleExecution } from 'single-execution';
import { createLockTable, dynamoDBStore } from 'single-execution/dynamodb';
import { lambdaContext } from 'single-execution/testing';
import { newAttemptId } from '../src/core/attempt-id.js';
import type { Claim } from '../src/core/lock-store.js';
import { leaseOf } from '../src/core/transition.js';
import { acquireRequest, releaseRequest, type UpdateRequest } from '../src/stores/dynamodb-requests.js';
import { startDynamoDBLocal } from '../test/support/dynamodb-local-process.js';

const ROUNDS = Number(process.argv[2] ?? 60);
const PER_BLOCK = 40;
const TABLE = 'bench-locks';
const OLD_TICK = Date.UTC(2026, 0, 1);

const local = await startDynamoDBLocal();
try {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint: local.endpoint, region: 'local', credentials, maxAttempts: 1 });
  await createLockTable(client, { tableName: TABLE });
  const documents = DynamoDBDocumentClient.from(client);
  const store = dynamoDBStore({ tableName: TABLE, client: documents });
  /** A wrapped handler, called as Lambda would, with a tick per event. */
  const wrapped = (name: string) => {
    const options = { name, store, tick: (event: { tick: number }) => event.tick, observers: [] };
    const handler = withSingleExecution(async (_: { tick: number }) => undefined, options);
    const context = lambdaContext();
    return (tick: number) => handler({ tick }, context);
  };

  /** The very write that the library sends, sent bare. */
  const bareWrite = (lockName: string, request: UpdateRequest) =>
    documents.send(
      new UpdateCommand({
        TableName: TABLE,
        Key: { lockName },
        ...request,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  const claimOf = (name: string, tickMs = Date.now()): Claim => {
    const attemptId = newAttemptId();
    return { name, attemptId, leaseMs: 60_000, lockedBy: 'process 12345', tickMs, markTickAtStart: false };
  };
  const bareRun = async (claim: Claim) => {
    const now = Date.now();
    const { Attributes } = await bareWrite(claim.name, acquireRequest(claim, now));
    const sent = { firstSentWall: now, firstSentMono: 0 };
    const lease = leaseOf(claim, { fencingToken: Number(Attributes?.['fencingToken'] ?? now) + 1 }, sent);
    const completion = { result: 'succeeded', lockAtLeastForMs: 0, markTickDone: true, durationMs: 1 } as const;
    await bareWrite(claim.name, releaseRequest(lease, completion, Date.now()));
  };
  const refused = (error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
  };

  let tick = Date.now() - 10_000_000;
  const ours = wrapped('ours');
  const done = wrapped('done');
  await done(Date.now());
  await compare('a run, against the same two writes sent bare', {
    bare: () => bareRun(claimOf('bare', tick++)),
    ours: () => ours(tick++),
  });
  await compare('a skip, against the same refused write sent bare', {
    bare: () => bareWrite('done', acquireRequest(claimOf('done', OLD_TICK), Date.now())).catch(refused),
    ours: () => done(OLD_TICK),
  });
} finally {
  await local.stop();
}

interface Block {
  readonly cpuMs: number;
  readonly p50Ms: number;
}

async function compare(title: string, kinds: Record<'bare' | 'ours', () => Promise<unknown>>): Promise<void> {
  for (let warmUp = 0; warmUp < 5; warmUp++) for (const work of Object.values(kinds)) await block(work);
  const bare: Block[] = [];
  const ours: Block[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // Who goes first alternates too.
    const pair = round % 2 === 0 ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const);
    for (const kind of pair) (kind === 'bare' ? bare : ours).push(await block(kinds[kind]));
  }
  const row = (figure: keyof Block) => ({
    bare: median(bare.map((b) => b[figure])).toFixed(3),
    ours: median(ours.map((b) => b[figure])).toFixed(3),
    ratio: median(ours.map((b, i) => b[figure] / (bare[i]?.[figure] ?? Number.NaN))).toFixed(2),
  });
  process.stdout.write(`${title}\n`);
  console.table({ 'CPU, ms': row('cpuMs'), 'latency p50, ms': row('p50Ms') });
}

async function block(work: () => Promise<unknown>): Promise<Block> {
  const latencies: number[] = [];
  const cpu = process.cpuUsage();
  for (let i = 0; i < PER_BLOCK; i++) {
    const start = performance.now();
    await work();
    latencies.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000 / PER_BLOCK, p50Ms: median(latencies) };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
