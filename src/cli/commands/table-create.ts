import type { Command } from '../command.js';
import { EXIT, either, failed, wrongUse } from '../exit-code.js';
import type { StoreTable } from '../store/kind.js';
import { KINDS, namedStore } from '../store/kinds.js';

const WITH_TABLES = KINDS.filter(({ hasTable }) => hasTable).map(({ title }) => title);

export const tableCreate: Command = {
  name: 'table create',
  summary: `make a table for locks in ${either(WITH_TABLES)}`,
  usage: '',
  operands: [0, 0],
  options: {},
  createsTable: true,
  about: [
    'In DynamoDB on demand and without a time to live. Does not change an existing table. Waits for a server that is still starting: DynamoDB 15 s, a database 5 s. For local work and tests: in production let infrastructure code own the table.',
  ],
  examples: [
    'single-execution table create --table locks --endpoint http://127.0.0.1:8000 --region local',
    'single-execution table create --postgres-url postgres://user:password@host/database',
  ],
  async run(session) {
    const { kind } = namedStore(session, session.env);
    if (!kind.hasTable) throw wrongUse(`${kind.name} has no tables: pass --table`);
    const { table } = await session.open();
    const { name: tableName, create, whyNot } = table as StoreTable;
    try {
      await create();
    } catch (error) {
      throw failed(`table '${tableName}' was not made: ${whyNot(error as Error)}`);
    }
    if (session.has('json')) session.terminal.json({ tableName });
    else session.terminal.line(`table ${tableName} is there`);
    return EXIT.done;
  },
};
