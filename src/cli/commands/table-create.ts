import { readThrownText } from '../../core/public/errors.js';
import type { Clock } from '../../core/values/clock.js';
import { defined } from '../../core/values/defined.js';
import { classifyFailure, isDenied } from '../../stores/dynamodb/errors.js';
import type { Command } from '../command.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { dynamoDBClient } from '../store/dynamodb-store.js';
import { tableAddress } from '../store/open-store.js';

/** How long a server that has just been started may take to answer. */
const STARTING_MS = 15_000;
const PAUSE_MS = 250;

export const tableCreate: Command = {
  name: 'table create',
  summary: 'make a DynamoDB table for locks',
  usage: '',
  operands: [0, 0],
  options: {},
  about: [
    'On demand and without a time to live. A table that exists is left alone. A server that is still starting has 15 s to answer. For local work and tests: in production let infrastructure code own the table.',
  ],
  examples: ['single-execution table create --table locks --endpoint http://127.0.0.1:8000 --region local'],
  async run(session) {
    const stray = ['redis-url', 'upstash'].find((option) => session.has(option));
    if (stray) throw wrongUse(`--${stray} has no tables: give --table`);
    const address = tableAddress(session, session.env);
    const { tableName, partitionKey, sortKey } = address;
    const { client } = await dynamoDBClient(address);
    const { createLockTable } = await import('../../stores/dynamodb/dynamodb.js');
    try {
      await onceItAnswers(
        () => createLockTable(client, { tableName, ...defined({ partitionKey, sortKey }) }),
        session.clock,
      );
    } catch (error) {
      const { name, message } = error as Error;
      throw failed(`table '${tableName}' was not made: ${name}; ${message}${remedyOf(error)}`);
    } finally {
      client.destroy();
    }
    if (session.has('json')) session.terminal.json({ tableName });
    else session.terminal.line(`table ${tableName} is there`);
    return EXIT.done;
  },
};

/** Whether the server may answer later: it did not, or was too busy. */
const mayCome = (error: unknown): boolean => classifyFailure(error).retry;

/** What to do, where that is known. */
function remedyOf(error: unknown): string {
  if (isDenied(error)) return '; give credentials that allow dynamodb:CreateTable; DynamoDB Local takes any';
  if (readThrownText(error, 'message') === 'Region is missing') return '; set AWS_REGION, or give --region';
  return mayCome(error) ? '; start the server, or check --endpoint and the network' : '';
}

async function onceItAnswers(make: () => Promise<void>, clock: Clock): Promise<void> {
  const startedMono = clock.monotonic();
  for (;;) {
    try {
      return await make();
    } catch (error) {
      if (!mayCome(error) || clock.monotonic() - startedMono > STARTING_MS) throw error;
    }
    await new Promise<void>((resolve) => clock.setTimer(resolve, PAUSE_MS));
  }
}
