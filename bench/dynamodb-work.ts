/**
 * The work of `dynamodb.ts`, in a process of its own. Its arguments are the address of DynamoDB, the name of an empty
 * lock table, and the number of rounds to measure.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { withSingleExecution } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { lambdaContext } from 'single-execution/testing';
import type { Claim } from '../src/core/ports/lock-store.js';
import { grantFields, leaseOf } from '../src/core/record/transition.js';
import { PAD_MS } from '../src/core/values/lease.js';
import { newAttemptId } from '../src/core/values/names.js';
import { acquireRequest, releaseRequest, type UpdateRequest } from '../src/stores/dynamodb/requests.js';
import { replayed } from './replay.js';
import { compare } from './side-by-side.js';

const [endpoint = '', tableName = '', rounds] = process.argv.slice(2);
const TURNS = { rounds: Number(rounds) };
const OLD_TICK = Date.UTC(2026, 0, 1);

const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
const client = new DynamoDBClient({ endpoint, region: 'local', credentials, maxAttempts: 1 });
const replay = replayed(client);
const documents = DynamoDBDocumentClient.from(client);
const store = dynamoDBStore({ tableName, client: documents });
/** Makes a wrapped handler that is called as Lambda would call it. Each event has a tick of its own. */
const wrapped = (name: string) => {
  const options = { name, store, tick: (event: { tick: number }) => event.tick, observers: [] };
  const handler = withSingleExecution(async (_: { tick: number }) => undefined, options);
  const context = lambdaContext();
  return (tick: number) => handler({ tick }, context);
};

/** Sends the write that the library sends, with the bare client. */
const bareWrite = (lockName: string, request: UpdateRequest) =>
  documents.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { lockName },
      ...request,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    }),
  );
const claimOf = (name: string, tickMs = Date.now()): Claim => {
  const attemptId = newAttemptId();
  return { name, attemptId, leaseMs: 60_000, lockedBy: 'process 12345', tickMs, markTickAtStart: false };
};
const bareAcquire = (claim: Claim, now: number) =>
  bareWrite(claim.name, acquireRequest(claim, now, grantFields(claim, now, now + claim.leaseMs + PAD_MS)));
const bareRun = async (claim: Claim) => {
  const now = Date.now();
  const { Attributes } = await bareAcquire(claim, now);
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
const run = { bare: () => bareRun(claimOf('bare', tick++)), ours: () => ours(tick++) };
const skip = {
  bare: () => bareAcquire(claimOf('done', OLD_TICK), Date.now()).catch(refused),
  ours: () => done(OLD_TICK),
};
await done(Date.now());
await compare('a run, against the same two writes sent bare', TURNS, run);
await compare('a skip, against the same refused write sent bare', TURNS, skip);
replay.start();
await compare('a run without the network, against the same two writes sent bare', TURNS, run);
await compare('a skip without the network, against the same refused write sent bare', TURNS, skip);
