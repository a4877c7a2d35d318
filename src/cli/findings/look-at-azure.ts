import type { AzureTableClient } from '../../azure.js';
import { answeringInTime, nameOfThrown } from '../store/reach.js';
import {
  clockVerdict,
  type Examiner,
  type Finding,
  look,
  lookByReading,
  NOBODY,
  ok,
  problem,
  unknown,
} from './finding.js';

/** More than an entity may hold: the service checks the right to add first, and then refuses the entity. */
const TOO_LONG = 'x'.repeat(40_000);

/** Looks at a table, the rights to it and the service's clock. Writes nothing. */
export async function lookAtAzure(client: AzureTableClient, session: Examiner): Promise<readonly Finding[]> {
  const table = await lookByReading(session, 'table', `${client.tableName} is there`);
  if (table.status === 'problem') return [table];
  return [table, await rights(client, session), await clockOf(client, session)];
}

function rights(client: AzureTableClient, { clock }: Examiner): Promise<Finding> {
  const inTime = answeringInTime(clock);
  const nobody = { partitionKey: NOBODY, rowKey: 'lock' };
  const may = (right: string, ask: () => Promise<unknown>) =>
    inTime(ask).catch((error: unknown) => {
      const { statusCode } = Object(error) as { readonly statusCode?: unknown };
      if (![400, 404, 412, 413].includes(Number(statusCode))) {
        throw new Error(`may not ${right} (${statusCode ?? nameOfThrown(error)})`);
      }
    });
  return look(
    'rights',
    async () => {
      await may('update', () => client.updateEntity(nobody, 'Replace', { etag: `W/"datetime'none'"` }));
      await may('add', () => client.createEntity({ ...nobody, record: TOO_LONG } as typeof nobody));
      return ok('may read and write');
    },
    (error) =>
      problem(
        (error as Error).message,
        'use a SAS token with query, add and update (sp=rau), or the role Storage Table Data Contributor',
      ),
  );
}

function clockOf(client: AzureTableClient, { clock }: Examiner): Promise<Finding> {
  return look(
    'clock',
    async () => {
      const sentMs = clock.now();
      let serverMs = Number.NaN;
      const onResponse = ({ headers }: { readonly headers: { get(name: string): string | undefined } }) => {
        serverMs = Date.parse(headers.get('date') ?? '');
      };
      const filter = `PartitionKey eq '${NOBODY}' and RowKey eq 'lock'`;
      const pages = client.listEntities({ queryOptions: { filter }, onResponse }).byPage({ maxPageSize: 1 });
      await answeringInTime(clock)(async () => {
        for await (const _ of pages) break;
      });
      // The service's time has whole seconds.
      return clockVerdict({ minMs: serverMs - clock.now(), maxMs: serverMs + 1_000 - sentMs });
    },
    (error) => unknown(`may not look: ${nameOfThrown(error)}`, 'allow this client to query the table'),
  );
}
