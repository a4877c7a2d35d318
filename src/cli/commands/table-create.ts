import type { Command, Session } from '../command.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { isDenied, type OpenTable } from '../store/dynamodb-store.js';
import { storeAddress } from '../store/open-store.js';
import { nameOfThrown, systemWords } from '../store/reach.js';
import type { OpenSql } from '../store/sql-store.js';

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
    const { kind } = storeAddress(session, session.env);
    if (kind === 'redis' || kind === 'upstash') throw wrongUse(`${kind} has no tables: give --table`);
    const tableName = await made(session);
    if (session.has('json')) session.terminal.json({ tableName });
    else session.terminal.line(`table ${tableName} is there`);
    return EXIT.done;
  },
};

/** Makes the table. @returns its name */
async function made(session: Session): Promise<string> {
  const opened = (await session.open()) as OpenTable | OpenSql;
  const tableName = opened.kind === 'dynamodb' ? opened.table.tableName : opened.tableName;
  try {
    if (opened.kind === 'dynamodb') await makeTable(opened, session);
    else await opened.createTable();
  } catch (error) {
    const { name, message } = error as Error;
    const why =
      opened.kind === 'dynamodb'
        ? `${name}; ${message}${remedyOf(error)}`
        : message.replace('the table was not made: ', '');
    throw failed(`table '${tableName}' was not made: ${why}`);
  }
  return tableName;
}

/** Makes a table of DynamoDB as soon as its server answers. */
async function makeTable({ client, table }: OpenTable, { clock }: Session): Promise<void> {
  const { createLockTable } = await import('../../stores/dynamodb/dynamodb.js');
  const { keyPrefix: _, ...keys } = table;
  const startedMono = clock.monotonic();
  for (;;) {
    try {
      return await createLockTable(client, keys);
    } catch (error) {
      if (!mayCome(error) || clock.monotonic() - startedMono > STARTING_MS) throw error;
    }
    await new Promise<void>((resolve) => clock.setTimer(resolve, PAUSE_MS));
  }
}

const TOO_BUSY = /Throttl|LimitExceeded|TooManyRequests/;

/** Whether the server may answer later: it gave no answer, or was too busy. */
function mayCome(error: unknown): boolean {
  const { $metadata } = Object(error) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  if (TOO_BUSY.test(nameOfThrown(error)) || Number($metadata?.httpStatusCode) >= 500) return true;
  return systemWords(error) !== undefined && !nameOfThrown(error).startsWith('ERR_');
}

/** The remedy, if known. */
function remedyOf(error: unknown): string {
  if (isDenied(error)) return '; give credentials that allow dynamodb:CreateTable; DynamoDB Local takes any';
  if ((error as Error).message === 'Region is missing') return '; set AWS_REGION, or give --region';
  return mayCome(error) ? '; start the server, or check --endpoint and the network' : '';
}
