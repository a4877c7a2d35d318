import type { AzureSASCredential, TableClient } from '@azure/data-tables';
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
      help: `the table in the Azure storage account of ${CONNECTION}, or of ${ACCOUNT} with ${KEY}, ${TOKEN} or @azure/identity`,
      secrets: [CONNECTION, KEY, TOKEN],
    },
  },
  hasTable: true,
  namesTable: true,
  examined: 'the table, the rights to it, clock',
  check: ({ env }) => checkAccount(env),
  open: openTable,
};

/** @throws CliError unless the environment names an account */
function checkAccount(env: Environment): void {
  if (env[CONNECTION]) return;
  if (env[ACCOUNT]) return void addressOf(env);
  throw wrongUse(
    `--azure-table needs ${CONNECTION}, or ${ACCOUNT} with ${KEY}, ${TOKEN} or @azure/identity, in the environment`,
  );
}

/**
 * Returns the address of the account that the environment names: by its name, or by an address, as in another cloud.
 *
 * @throws CliError for an address that has a secret in it, or to which no login can be sent
 */
function addressOf({ [ACCOUNT]: account = '', [KEY]: key, [TOKEN]: token }: Environment): URL {
  if (!/^https?:/i.test(account)) {
    if (/^[a-z\d]{3,24}$/.test(account)) return new URL(`https://${account}.table.core.windows.net`);
    throw wrongUse(`${ACCOUNT} is no name of an account: pass 3 to 24 small letters and digits, or its address`);
  }
  const url = URL.canParse(account) ? new URL(account) : undefined;
  if (!url || url.search || url.username || url.hash) {
    throw wrongUse(`${ACCOUNT} is more than an address: pass a key in ${KEY}, and a SAS token in ${TOKEN}`);
  }
  if (url.protocol === 'http:' && !key && !token) {
    throw wrongUse(`${ACCOUNT} is an address with http, over which @azure/identity sends no login: use https`);
  }
  return url;
}

/** The name of an account: the first part of its host, or of its path, as in Azurite. */
const nameOf = ({ hostname, pathname }: URL): string => pathname.split('/')[1] || (hostname.split('.')[0] ?? '');

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
  const { [CONNECTION]: connection } = env;
  try {
    if (connection) return azureTables.TableClient.fromConnectionString(connection, tableName, options);
  } catch {
    // Its message can contain a part of the connection string.
    throw wrongUse(`${CONNECTION} cannot be read: copy it from the access keys of the account`);
  }
  const address = addressOf(env);
  const credential = await credentialOf(azureTables, nameOf(address), env);
  return new azureTables.TableClient(
    address.href.replace(/\/$/, ''),
    tableName,
    credential as AzureSASCredential,
    options,
  );
}

type Tables = Pick<typeof import('@azure/data-tables'), 'AzureNamedKeyCredential' | 'AzureSASCredential'>;

/** The login by a key, by a SAS token, or else by what `DefaultAzureCredential` finds on this host. */
async function credentialOf(tables: Tables, account: string, { [KEY]: key, [TOKEN]: token }: Environment) {
  if (key) return new tables.AzureNamedKeyCredential(account, key);
  if (token) return new tables.AzureSASCredential(token.replace(/^\?/, ''));
  const what = `${ACCOUNT} without ${KEY} or ${TOKEN}`;
  const { DefaultAzureCredential } = await needing(['@azure/identity'], () => import('@azure/identity'), what);
  return new DefaultAzureCredential();
}
