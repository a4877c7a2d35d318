import { setTimeout as sleep } from 'node:timers/promises';
import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import { azureTableStore, createAzureTable } from 'single-execution/azure';
import { ACCOUNT, type Azurite, connectionOf, startAzurite } from '../azurite.js';
import { redisHarness } from '../contract-harness.js';
import type { Fault } from '../fault-proxy.js';
import { type Backend, type Engine, locksOf, opened, type Sends } from './backend.js';
import { HTTP_FAULTS, httpNetwork } from './http-network.js';

const FAULTS: Readonly<Record<string, Fault>> = {
  ...HTTP_FAULTS,
  ServerBusy: azureError('before', 503, 'ServerBusy'),
  InternalError: azureError('after', 500, 'InternalError'),
  AuthenticationFailed: azureError('before', 403, 'AuthenticationFailed'),
};

/** An error as the service writes it. */
export function azureError(at: 'before' | 'after', status: number, code: string): Fault & { kind: 'answer' } {
  const text = JSON.stringify({ 'odata.error': { code, message: { lang: 'en-US', value: code } } });
  return { kind: 'answer', at, status, text };
}

/** The table of the examples. Names of tables have letters and digits only. */
const DEFAULT_TABLE = 'locks';

/** How `azureTableStore` writes a lock's key. */
export const azureKey = (key: string): string =>
  encodeURIComponent(key).replaceAll("'", '%27').replaceAll('~', '%7E').replaceAll('%', '=');

/** A client as docs/stores/azure.md says, so that only the lock tries again. */
export function azureClient(url: string, table: string, options: object = {}): TableClient {
  const credential = new AzureNamedKeyCredential(ACCOUNT.name, ACCOUNT.key);
  const once = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
  return new TableClient(url, table, credential, { ...once, ...options });
}

export interface AzureEngine extends Engine {
  readonly server: Azurite;
}

/** Whether a write to the table moves the end of a lease. */
function isRenewal({ record }: { readonly record?: unknown }): boolean {
  if (typeof record !== 'string') return false;
  const { state, lockedAt, lockUntil, leaseMs } = JSON.parse(record) as Record<string, number | string>;
  return state === 'held' && Number(lockUntil) > Number(lockedAt) + Number(leaseMs) + 1_000;
}

export const azure: Backend<AzureEngine> = {
  lacks: { sql: 'a table of Azure is no SQL database' },
  // Its header Date has whole seconds.
  lateMs: 2_000,
  isQuick: false,
  requests: { run: 4, skip: 1 },
  faults: Object.keys(FAULTS),
  ending: {
    retried: ['reset before', 'reset after', 'ServerBusy', 'InternalError'],
    reported: ['AuthenticationFailed'],
  },
  async start() {
    const server = await startAzurite();
    const rowOf = (key: string, record: unknown) => ({
      ...{ partitionKey: azureKey(key), rowKey: 'lock' },
      ...{ record: JSON.stringify(record), writeId: 'by hand' },
    });
    return {
      server,
      at: (place = DEFAULT_TABLE) => ({ kind: 'azure', url: server.url, place: place.replace('_', '') }),
      make: ({ url, place }) => createAzureTable(azureClient(url, place)),
      async put({ url, place }, key, fields) {
        await azureClient(url, place).upsertEntity(rowOf(key, Object.fromEntries(fields)), 'Replace');
      },
      harness: ({ url, place }, { store, admin }, keyPrefix = '') => {
        const client = azureClient(url, place);
        return {
          ...redisHarness({ store, admin, keyPrefix, hset: async () => undefined }),
          shortLeaseMs: 1_000,
          expire: ({ lockUntilMs }) => sleep(Math.max(0, lockUntilMs - Date.now()) + 1_000),
          leasePadMs: 1_000,
          async patch(name, attributes) {
            const { record = '{}' } = await client
              .getEntity<{ record?: string }>(azureKey(keyPrefix + name), 'lock')
              .catch(() => ({ record: '{}' }));
            await client.upsertEntity(rowOf(keyPrefix + name, { ...JSON.parse(record), ...attributes }), 'Replace');
          },
        };
      },
      args: ({ place }) => ['--azure-table', place],
      env: { AZURE_STORAGE_CONNECTION_STRING: connectionOf(server.url) },
      async network(choose) {
        const { url, stop } = await httpNetwork(new URL(server.url).origin, choose, FAULTS, isRenewal);
        return { url: `${url}/${ACCOUNT.name}`, stop };
      },
      stop: server.stop,
    };
  },
  async open({ url, place }, sends) {
    const own = azureClient(url, place);
    const client = sends ? counted(own, sends) : own;
    return opened((keyPrefix) => locksOf(azureTableStore({ client, keyPrefix })));
  },
};

/** Reports the requests of a client, before the client itself works on them. */
function counted(client: TableClient, sends: Sends): TableClient {
  return new Proxy(client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      if (!/^(get|create|update|list)Entit/.test(String(key))) return value.bind(target);
      return (...asked: readonly unknown[]) => {
        sends();
        return value.apply(target, asked);
      };
    },
  });
}
