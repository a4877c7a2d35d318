/*
 * A process that calls a job once for each line on its stdin, and prints the result. It uses the library's default
 * client, which reads the environment, as on Lambda.
 */
import { createInterface } from 'node:readline';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { executeWithLock } from 'single-execution';
import { dynamoDBStore } from 'single-execution/dynamodb';
import { closeIdleSockets } from '../../src/stores/dynamodb/options.js';
import { patientStore } from '../support/contract-harness.js';
import { order, say } from '../support/told.js';

export interface Call {
  readonly name: string;
  /** How far the wall clock has gone on since the last call. */
  readonly frozenMs?: number;
}

const { tableName, endpoint, isPatient } = order<{
  readonly tableName: string;
  /** Whether each try waits for its answer. */
  readonly isPatient: boolean;
  /**
   * The endpoint for a client that does not read it from the environment. That client is made as the library makes its
   * own.
   */
  readonly endpoint?: string;
}>();
const client = endpoint && closeIdleSockets(new DynamoDBClient({ endpoint, maxAttempts: 1 }));
const own = dynamoDBStore({ tableName, ...(client && { client }) });
const store = isPatient ? patientStore(own) : own;
const { now } = Date;

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { name, frozenMs = 0 } = JSON.parse(line) as Call;
  Date.now = () => now() + frozenMs;
  const startedMs = performance.now();
  try {
    const task = () => say('running', { tookMs: performance.now() - startedMs });
    const { status } = await executeWithLock(task, { name, store, lockAtMostFor: '1m', observers: [] });
    say('settled', { frozenMs, status });
  } catch (error) {
    say('settled', { frozenMs, status: String(error) });
  }
});
say('ready');
