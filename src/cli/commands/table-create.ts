import type { Command } from '../command.js';
import { EXIT, failed, wrongUse } from '../exit-code.js';
import { dynamoDBClient } from '../store/dynamodb-store.js';
import { tableAddress } from '../store/open-store.js';

export const tableCreate: Command = {
  name: 'table create',
  summary: 'make a DynamoDB table for locks',
  usage: '',
  operands: [0, 0],
  options: {},
  about: [
    'On demand and without a time to live. A table that exists is left alone. For local work and tests: in production let infrastructure code own the table.',
  ],
  examples: ['single-execution table create --table locks --endpoint http://127.0.0.1:8000 --region local'],
  async run(session) {
    const stray = ['redis-url', 'upstash'].find((option) => session.has(option));
    if (stray) throw wrongUse(`--${stray} has no tables: give --table`);
    const address = tableAddress(session, session.env);
    const { tableName } = address;
    const client = await dynamoDBClient(address);
    const { createLockTable } = await import('../../stores/dynamodb/dynamodb.js');
    try {
      await createLockTable(client, { tableName });
    } catch (error) {
      throw failed(`table '${tableName}' was not made: ${(error as Error).name}; ${(error as Error).message}`);
    } finally {
      client.destroy();
    }
    if (session.has('json')) session.terminal.json({ tableName });
    else session.terminal.line(`table ${tableName} is there`);
    return EXIT.done;
  },
};
