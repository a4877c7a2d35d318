import type { TableClient } from '@azure/data-tables';
import { azureTableStore, createAzureTable } from '../../azure.js';
import type { Clock } from '../../index.js';
import { wrongUse } from '../exit-code.js';
import { lookAtAzure } from '../findings/look-at-azure.js';
import type { Environment } from '../option.js';
import type { NamedStore, OpenedStore, StoreKind } from './kind.js';
import { answeredInTime, needing, whyNotMade } from './reach.js';

const CONNECTION = 'AZURE_STORAGE_CONNECTION_STRING';
const ACCOUNT = 'AZURE_STORAGE_ACCOUNT';
const KEY = 'AZURE_STORAGE_KEY';
const TOKEN = 'AZURE_STORAGE_SAS_TOKEN';

export const azure: StoreKind = {
  name: 'azure',
  title: 'Azure Table Storage',
  option: 'azure-table',
  options: {
    'azure-table': {
      value: 'NAME',
      help: `the table in the Azure storage account of ${CONNECTION}, or of ${ACCOUNT} with ${KEY} or ${TOKEN}`,
      secrets: [CONNECTION, KEY, TOKEN],
    },
  },
  hasTable: true,
  namesTable: true,
  examined: 'the table, the rights to it, clock',
  check: ({ env }) => checkAccount(env),
  open: openTable,
};

/** @throws CliError unless the environment names an account, and how to log in */
function checkAccount(env: Environment): void {
  if (env[CONNECTION] || (env[ACCOUNT] && (env[KEY] || env[TOKEN]))) return;
  throw wrongUse(`--azure-table needs ${CONNECTION}, or ${ACCOUNT} with ${KEY} or ${TOKEN}, in the environment`);
}

async function openTable({ value: tableName, env, prefix }: NamedStore, clock: Clock): Promise<OpenedStore> {
  const client = await clientOf(tableName, env);
  const store = azureTableStore({ client, ...prefix });
  const place = {
    words: () => `Azure Table Storage at ${new URL(client.url).host}`,
    remedy: `check ${env[CONNECTION] ? CONNECTION : ACCOUNT} and the network`,
  };
  return {
    store,
    admin: store,
    place,
    words: `azure table ${tableName}`,
    table: {
      name: tableName,
      create: () => answeredInTime(createAzureTable(client), clock),
      whyNot: (error) => whyNotMade(error, place),
    },
    examine: (session) => lookAtAzure(client, session),
    // Idle connections do not keep the process alive.
    close: () => undefined,
  };
}

async function clientOf(tableName: string, env: Environment): Promise<TableClient> {
  const azureTables = await needing(['@azure/data-tables'], () => import('@azure/data-tables'));
  // The client must not retry, because this library does. An address with http was chosen by the user.
  const options = { retryOptions: { maxRetries: 0 }, allowInsecureConnection: true };
  const { [CONNECTION]: connection, [ACCOUNT]: account = '', [KEY]: key, [TOKEN]: token = '' } = env;
  try {
    if (connection) return azureTables.TableClient.fromConnectionString(connection, tableName, options);
    const url = `https://${account}.table.core.windows.net`;
    if (key)
      return new azureTables.TableClient(
        url,
        tableName,
        new azureTables.AzureNamedKeyCredential(account, key),
        options,
      );
    const credential = new azureTables.AzureSASCredential(token.replace(/^\?/, ''));
    return new azureTables.TableClient(url, tableName, credential, options);
  } catch {
    // Its message can contain a part of the connection string.
    throw wrongUse(`${connection ? CONNECTION : ACCOUNT} cannot be read: copy it from the access keys of the account`);
  }
}
