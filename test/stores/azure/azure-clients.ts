import * as newest from '@azure/data-tables';
import type { AzureTableClient } from 'single-execution/azure';
import { ACCOUNT } from '../../support/azurite.js';
import { packagesOf } from '../../support/package-sets.js';

const oldest = (await packagesOf('test/clients'))('@azure/data-tables-13.0') as typeof newest;

/** Makes a client of a table at the address of an account. */
type MakeClient = (url: string, table: string) => AzureTableClient;

const { name: account, key } = ACCOUNT;

/** As docs/stores/azure.md says, so that only the lock tries again. */
const ONCE = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };

/** The client that docs/stores/azure.md names, the oldest one, and the newest with its defaults: it waits a second before it tries again. */
export const AZURE_CLIENTS: Readonly<Record<string, MakeClient>> = {
  '13.3.2': (url, table) => new newest.TableClient(url, table, new newest.AzureNamedKeyCredential(account, key), ONCE),
  '13.0.0': (url, table) => new oldest.TableClient(url, table, new oldest.AzureNamedKeyCredential(account, key), ONCE),
  '13.3.2, its defaults': (url, table) =>
    new newest.TableClient(url, table, new newest.AzureNamedKeyCredential(account, key), {
      allowInsecureConnection: true,
    }),
};
