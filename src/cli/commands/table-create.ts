import type { Clock } from '../../core/values/clock.js';
import { defined } from '../../core/values/defined.js';
import { readThrownText } from '../../core/values/thrown.js';
import { classifyFailure, isDenied } from '../../stores/dynamodb/errors.js';
import { DEFAULT_TABLE } from '../../stores/sql.js';
import type { Command, Session } from '../command.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { dynamoDBClient } from '../store/dynamodb-store.js';
import { storeAddress, tableAddress } from '../store/open-store.js';
import { openSql, type SqlAddress } from '../store/sql-store.js';

/** How long a server that was just started may take to answer. */
const STARTING_MS = 15_000;
const PAUSE_MS = 250;

export const tableCreate: Command = {
  name: 'table create',
  summary: 'make a table for locks in DynamoDB, Postgres or SQLite',
  usage: '',
  operands: [0, 0],
  options: {},
  about: [
    'In DynamoDB on demand and without a time to live. Does not change an existing table. Waits for a server that is still starting: DynamoDB 15 s, a database 5 s. For local work and tests: in production let infrastructure code own the table.',
  ],
  examples: [
    'single-execution table create --table locks --endpoint http://127.0.0.1:8000 --region local',
    'single-execution table create --postgres-url postgres://user:password@host/database',
  ],
  async run(session) {
    const stray = ['redis-url', 'upstash'].find((option) => session.has(option));
    if (stray) throw wrongUse(`--${stray} has no tables: give --table`);
    const named = storeAddress(session, session.env);
    if (named.kind === 'postgres' || named.kind === 'sqlite') return createSqlTable(named, session);
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

async function createSqlTable(address: SqlAddress, { terminal, has }: Session): Promise<number> {
  const { table: tableName = DEFAULT_TABLE } = address;
  const { createTable, close } = await openSql(address);
  try {
    await createTable();
  } catch (error) {
    throw failed(
      `table '${tableName}' was not made: ${(error as Error).message.replace('the table was not made: ', '')}`,
    );
  } finally {
    close();
  }
  if (has('json')) terminal.json({ tableName });
  else terminal.line(`table ${tableName} is there`);
  return EXIT.done;
}

/** Whether the server may answer later: it gave no answer, or was too busy. */
const mayCome = (error: unknown): boolean => classifyFailure(error).retry;

/** The remedy, if known. */
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
