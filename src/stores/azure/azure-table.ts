import type { LockAdminStore } from '../../core/ports/lock-admin-store.js';
import type { LockStore } from '../../core/ports/lock-store.js';
import type { MemberStore } from '../../core/ports/member-store.js';
import { LockStoreError } from '../../core/public/errors.js';
import { takingTurns } from '../../core/request/turns.js';
import { checkMethods, checkStoreOptions, describe, describeType, namesOf } from '../../core/values/checks.js';
import type { Signal } from '../../core/values/clock.js';
import { newUuid } from '../../core/values/names.js';
import { parsedRecord, refused } from '../storage-answer.js';
import type { Storage, StoredRecord } from '../storage-port.js';
import { storageStore } from '../storage-store.js';
import { azureFailure, isAbsent, isRefused, isUnsentByAzure, NOT_AZURE, noAnswer } from './azure-errors.js';

/** A client of one table; `TableClient` of \@azure/data-tables fits. */
export interface AzureTableClient {
  /** The address of the account. */
  readonly url: string;
  /** The name of the table. */
  readonly tableName: string;
  /** Creates the table. */
  createTable(): Promise<void>;
  /** Reads an entity. */
  getEntity(partitionKey: string, rowKey: string, options?: object): Promise<object>;
  /** Inserts an entity. */
  createEntity(entity: AzureEntityKey, options?: object): Promise<object>;
  /** Replaces an entity. */
  updateEntity(entity: AzureEntityKey, mode: 'Replace', options?: object): Promise<object>;
  /** Lists entities. */
  listEntities(options?: object): AzurePages;
}

/** The key of an entity. */
export interface AzureEntityKey {
  /** The key of its partition. */
  partitionKey: string;
  /** Its key in the partition. */
  rowKey: string;
}

/** The pages of a list. */
export interface AzurePages {
  /** Asks for one page after the other. */
  byPage(settings?: object): AsyncIterable<readonly object[]>;
}

/** Options of `azureTableStore`. */
export interface AzureTableStoreOptions {
  /** A client of the table. Make it with `retryOptions: { maxRetries: 0 }`: the store itself tries again. */
  readonly client: AzureTableClient;
  /** Put before each lock name. @default '' */
  readonly keyPrefix?: string;
}

const OPTIONS = namesOf<AzureTableStoreOptions>({ client: true, keyPrefix: true });

/**
 * Makes a store for locks in a table of Azure Table Storage; the same object is the admin store. It judges leases by the
 * service's clock only, whose times are whole seconds. A skip costs one request, a run four.
 *
 * @example
 * ```ts
 * import { TableClient } from '@azure/data-tables';
 * import { azureTableStore } from 'single-execution/azure';
 *
 * const { AZURE_STORAGE_CONNECTION_STRING: connection = '' } = process.env;
 * const client = TableClient.fromConnectionString(connection, 'locks', { retryOptions: { maxRetries: 0 } });
 * export const store = azureTableStore({ client });
 * ```
 *
 * @throws TypeError, RangeError for invalid options; nothing is sent
 */
export function azureTableStore(options: AzureTableStoreOptions): LockStore & MemberStore & LockAdminStore {
  checkStoreOptions('azureTableStore', options, OPTIONS);
  const { client, keyPrefix } = options;
  checkClient(client);
  const storage = tableStorage(client);
  return takingTurns(
    client,
    storageStore(() => storage, keyPrefix),
  );
}

/**
 * Creates the table, unless it exists.
 *
 * @example
 * ```ts
 * import { TableClient } from '@azure/data-tables';
 * import { createAzureTable } from 'single-execution/azure';
 *
 * const { AZURE_STORAGE_CONNECTION_STRING: connection = '' } = process.env;
 * await createAzureTable(TableClient.fromConnectionString(connection, 'locks'));
 * ```
 *
 * @throws LockStoreError that names the problem, such as a missing right
 * @throws TypeError for a value that is not a client
 */
export async function createAzureTable(client: AzureTableClient): Promise<void> {
  checkClient(client);
  try {
    await client.createTable();
  } catch (error) {
    const { code, message, retryable, cause } = azureFailure(error, client, 'create');
    const details = { code, lockName: '*', operation: 'createLockTable', retryable, cause } as const;
    throw new LockStoreError(`the table was not made: ${message}`, details);
  }
}

const PASS = "pass a TableClient of @azure/data-tables, such as TableClient.fromConnectionString(text, 'locks')";
const TABLE_NAME = /^[A-Za-z][A-Za-z0-9]{2,62}$/;

/** @throws TypeError for a value that is not a client of one table in the primary region */
function checkClient(client: AzureTableClient): void {
  if (typeof client !== 'object') throw new TypeError(`client is ${describeType(client)}: ${PASS}`);
  checkMethods('client', client, ['getEntity', 'createEntity', 'updateEntity', 'listEntities', 'createTable'], PASS);
  const { tableName, url } = client;
  if (!TABLE_NAME.test(tableName)) {
    throw new TypeError(
      `the table of the client is ${describe(tableName)}: name it with 3 to 63 letters and digits, a letter first`,
    );
  }
  if (/^https?:\/\/[^/.]+-secondary\./.test(url)) {
    throw new TypeError('client reads from the secondary region, which lags behind: make it with the primary address');
  }
}

/** A lock has a partition of its own, so that locks do not slow down one another. */
const ROW_KEY = 'lock';
const PAGE = 1_000;

interface Entity {
  readonly partitionKey?: string;
  readonly etag?: string;
  readonly record?: unknown;
  /** A random id of each write. */
  readonly writeId?: unknown;
}

/** @throws LockStoreError */
async function findEntity(
  client: AzureTableClient,
  key: string,
  abortSignal: Signal,
): Promise<{ readonly entity?: Entity; readonly nowMs: number }> {
  const times = timesOf();
  try {
    const entity: Entity = await client.getEntity(keyOf(key), ROW_KEY, { abortSignal, ...times });
    return { entity, nowMs: times.nowMs() };
  } catch (error) {
    if (isAbsent(error)) return { nowMs: times.nowMs(error) };
    throw azureFailure(error, client, 'query');
  }
}

function tableStorage(client: AzureTableClient): Storage<string> {
  return {
    clockResolutionMs: 1_000,
    async read(key, signal) {
      const { entity, nowMs } = await findEntity(client, key, signal);
      if (entity === undefined) return { nowMs };
      if (typeof entity.etag !== 'string' || entity.partitionKey !== keyOf(key)) throw noAnswer(NOT_AZURE);
      return { record: parsedRecord(entity.record), version: entity.etag, nowMs };
    },
    async write(key, record, version, signal) {
      const entity = { partitionKey: keyOf(key), rowKey: ROW_KEY, record: JSON.stringify(record), writeId: newUuid() };
      let timesSent = 0;
      // An entity is sent in one piece.
      const onUploadProgress = () => void timesSent++;
      const options = { abortSignal: signal, requestOptions: { onUploadProgress } };
      try {
        const answer: Entity =
          version === undefined
            ? await client.createEntity(entity, options)
            : await client.updateEntity(entity, 'Replace', { ...options, etag: version });
        if (typeof answer.etag !== 'string') throw noAnswer(NOT_AZURE);
        return true;
      } catch (error) {
        if (!isRefused(error)) throw azureFailure(error, client, version === undefined ? 'add' : 'update');
        if (timesSent === 1) return false;
      }
      // A client that tries again by itself gets a refusal if its first try was applied, and its answer lost.
      const found = await findEntity(client, key, signal).catch(() => {
        // Nobody knows whether the first try was applied, whatever this error says of its own request.
        throw noAnswer();
      });
      return found.entity?.writeId === entity.writeId;
    },
    async list(prefix, abortSignal) {
      const times = timesOf();
      const from = keyOf(prefix);
      const filter = `PartitionKey ge '${from}' and PartitionKey lt '${from}~' and RowKey eq '${ROW_KEY}'`;
      const found: { key: string; record: StoredRecord; nowMs: number }[] = [];
      try {
        const pages = client.listEntities({ abortSignal, queryOptions: { filter }, ...times });
        for await (const page of pages.byPage({ maxPageSize: PAGE })) {
          if (!times.hasList()) throw noAnswer(NOT_AZURE);
          for (const { partitionKey = '', record } of page as readonly Entity[]) {
            const key = nameOf(partitionKey);
            if (key !== undefined) found.push({ key, record: parsedRecord(record), nowMs: times.nowMs() });
          }
        }
      } catch (error) {
        throw azureFailure(error, client, 'query');
      }
      return found;
    },
    isUnsent: isUnsentByAzure,
  };
}

interface Response {
  readonly headers: { get(name: string): string | undefined };
  readonly parsedBody?: { readonly value?: unknown };
}

/** Reads the service's time, which only the header `Date` of a response has. */
function timesOf() {
  let date: string | undefined;
  let body: Response['parsedBody'];
  return {
    onResponse({ headers, parsedBody }: Response) {
      date = headers.get('date');
      body = parsedBody;
    },
    hasList: () => Array.isArray(body?.value),
    /** @throws LockStoreError if the last response, or that of an error, has no time */
    nowMs(error?: unknown): number {
      const { response } = Object(error) as { readonly response?: Response };
      const nowMs = Date.parse(response?.headers.get('date') ?? date ?? '');
      if (Number.isNaN(nowMs)) throw refused('the response has no header Date: let a proxy pass it on');
      return nowMs;
    },
  };
}

/** Encodes a lock's key as ASCII without the characters that a key must not have. Prefixes stay prefixes, all below `~`. */
function keyOf(key: string): string {
  return encodeURIComponent(key)
    .replace(/['~]/g, (sign) => (sign === '~' ? '%7E' : '%27'))
    .replaceAll('%', '=');
}

/** Decodes a key; undefined for one that is not of a lock. */
function nameOf(partitionKey: string): string | undefined {
  try {
    const name = decodeURIComponent(partitionKey.replaceAll('=', '%'));
    return keyOf(name) === partitionKey ? name : undefined;
  } catch {
    // Not encoded by this store.
    return undefined;
  }
}
